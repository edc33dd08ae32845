#!/usr/bin/perl
# count.pl FILE MS: a tool server over MCP for tests and benchmarks. Its tool `count` appends one line to the file (its argument `key`, or a name that no
# other call has), takes that many milliseconds, and answers with the line.
use strict;
use warnings;
use Time::HiRes qw(sleep time);

my ($file, $ms) = @ARGV;
my $calls = 0;
$| = 1;

sub answer {
    my ($id, $result) = @_;
    print qq({"jsonrpc":"2.0","id":$id,"result":$result}\n);
}

while (my $line = <STDIN>) {
    my ($id) = $line =~ /"id":("[^"]*"|\d+)/ or next;
    my ($method) = $line =~ /"method":"([^"]*)"/ or next;
    if ($method eq 'initialize') {
        answer($id, '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"count","version":"1"}}');
    } elsif ($method eq 'tools/list') {
        answer($id, '{"tools":[{"name":"count","description":"Counts.","inputSchema":{"type":"object"}}]}');
    } elsif ($method eq 'tools/call') {
        my ($key) = $line =~ /"key":"([^"]*)"/;
        my $name = $key // "$$-" . ++$calls . '-' . time;
        open my $out, '>>', $file or die "$file: $!\n";
        syswrite $out, "$name\n";
        close $out;
        sleep $ms / 1000;
        answer($id, qq({"content":[{"type":"text","text":"$name"}]}));
    } else {
        print qq({"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"no such method"}}\n);
    }
}
