#!/usr/bin/perl
# An agent that speaks ACP for benchmarks and does not want to end: it never answers a prompt, ignores SIGTERM and the end of its input,
# and so does a child of it in a session of its own.
use strict;
use warnings;
use POSIX ();

$SIG{TERM} = $SIG{HUP} = $SIG{PIPE} = 'IGNORE';
$| = 1;
if (!fork) {
    POSIX::setsid();
    sleep 600;
    exit;
}
while (my $line = <STDIN>) {
    my ($id) = $line =~ /"id":("[^"]*"|\d+)/ or next;
    my ($method) = $line =~ /"method":"([^"]*)"/ or next;
    my $result = $method eq 'initialize' ? '{"protocolVersion":1,"agentCapabilities":{}}' : $method eq 'session/new' ? '{"sessionId":"s1"}' : '{}';
    print qq({"jsonrpc":"2.0","id":$id,"result":$result}\n) if $method ne 'session/prompt';
}
sleep 600;
