#!/usr/bin/perl
# An agent that speaks ACP for benchmarks: each prompt is answered with as many updates as the argument says, at once.
# Of ten, eight are pieces of text, one is a tool call that goes on, one says how much of the context is used; sizes are those of real agents.
use strict;
use warnings;

my ($updates) = @ARGV;
my $session = '0199f3a2-7c41-7d10-9c1e-5f0b7a3d2c11';
my $chunk = 'and moves on to the next row, ';
my $content = 'export function parse(text) { return text.split(/,/); }';

sub answer {
    my ($id, $result) = @_;
    syswrite STDOUT, qq({"jsonrpc":"2.0","id":$id,"result":$result}\n);
}

sub flood {
    my $out = '';
    for my $i (1 .. $updates) {
        my $update = $i % 10 == 3
            ? qq("sessionUpdate":"tool_call_update","toolCallId":"toolu_01A9","kind":"read","title":"Read src/parse.js","status":"in_progress","rawInput":{"file_path":"src/parse.js","offset":$i},"locations":[{"path":"src/parse.js","line":$i}],"content":[{"type":"content","content":{"type":"text","text":"$content"}}])
            : $i % 10 == 7
            ? qq("sessionUpdate":"usage_update","used":$i,"size":200000,"cost":{"amount":0.0125,"currency":"USD"})
            : qq("sessionUpdate":"agent_message_chunk","messageId":"msg_01","content":{"type":"text","text":"$chunk$i"});
        $out .= qq({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$session","update":{$update}}}\n);
        if (length $out > 65536) {
            print $out;
            $out = '';
        }
    }
    print $out;
}

$| = 1;
while (my $line = <STDIN>) {
    my ($id) = $line =~ /"id":("[^"]*"|\d+)/ or next;
    my ($method) = $line =~ /"method":"([^"]*)"/ or next;
    if ($method eq 'initialize') {
        answer($id, '{"protocolVersion":1,"agentCapabilities":{}}');
    } elsif ($method eq 'session/new') {
        answer($id, qq({"sessionId":"$session"}));
    } elsif ($method eq 'session/prompt') {
        flood();
        answer($id, '{"stopReason":"end_turn"}');
    } else {
        answer($id, '{}');
    }
}
