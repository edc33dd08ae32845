/*
 * A scripted MCP server: this test program, started again. Its argument says how it behaves, words
 * separated by commas; its tools show one shape or one fault each.
 *
 *   older, modern   the era; default older
 *   silent          says nothing at all
 *   quit            ends at once, with words on standard error
 *   garbage         writes lines that are no messages before each answer
 *   halves          writes each answer in pieces
 *   pages           lists its tools in pages
 *   endless         gives the same cursor again and again
 *   brief           says that its list is good for no time at all (ttlMs 0)
 *   changes         tells when its list changes
 *   count=FILE      adds a line to the file when it is started, and for each list
 */
#ifndef TOOLS_FAKE_MCP_H
#define TOOLS_FAKE_MCP_H

#define FAKE_MCP "--fake-mcp"

#endif
