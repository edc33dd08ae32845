#!/usr/bin/perl
# A tool server over MCP for benchmarks: its tool `count` appends its argument `key` to the file that is named as argument, then takes 20 ms.
use strict;
use warnings;
use Time::HiRes qw(sleep);

my ($file) = @ARGV;
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
        open my $out, '>>', $file or die "$file: $!\n";
        syswrite $out, "$key\n";
        close $out;
        sleep 0.02;
        answer($id, '{"content":[{"type":"text","text":"counted"}]}');
    } else {
        print qq({"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"no such method"}}\n);
    }
}
