package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.network.Wire;
import java.util.ArrayList;
import java.util.List;

// Invariants
// - A datagram is in the log before it is sent. Its number is its place.
// - What a socket must receive is fixed when the datagram is sent: a member that joins or leaves meanwhile may receive
// it, or not.

/** All datagrams of a run: what was sent by whom to whom, and what arrived where. */
final class DatagramLog {
    /** A datagram goes to the socket of this number, or from here on to a group. */
    static final int FIRST_GROUP = 1000;

    private final Verdict verdict;
    private final List<Sent> all = new ArrayList<>();
    private long time;

    private static final class Sent {
        final DatagramProgram sender;
        final int to;
        final int length;
        final boolean answer;
        final long at;
        final List<DatagramProgram> expected;
        final List<DatagramProgram> arrived = new ArrayList<>();
        boolean sent;

        Sent(DatagramProgram sender, int to, int length, boolean answer, long at, List<DatagramProgram> expected) {
            this.answer = answer;
            this.sender = sender;
            this.to = to;
            this.length = length;
            this.at = at;
            this.expected = expected;
        }
    }

    DatagramLog(Verdict verdict) {
        this.verdict = verdict;
    }

    /** Returns a number that grows with each call. */
    long time() {
        return ++time;
    }

    /**
     * Adds a datagram that is sent now, and returns its number.
     *
     * @param answer whether it answers another one
     */
    int add(DatagramProgram sender, int to, int length, boolean answer, List<DatagramProgram> sockets) {
        long now = time();
        List<DatagramProgram> expected =
                sockets.stream().filter(socket -> socket.mustReceive(to, now)).toList();
        all.add(new Sent(sender, to, length, answer, now, expected));
        return all.size() - 1;
    }

    /** Notes that the device has sent a datagram. */
    void sent(int number) {
        all.get(number).sent = true;
    }

    /** Checks a datagram that has arrived. Returns its sender's number if it may be answered, or -1. */
    int arrived(DatagramProgram at, Datagram datagram) {
        if (datagram.number() < 0 || datagram.number() >= all.size()) {
            verdict.check(false, at + " received what no one sent");
            return -1;
        }
        Sent sent = all.get(datagram.number());
        String what = at + ": datagram " + datagram.number() + " of " + sent.sender + " to " + sent.to;
        verdict.check(datagram.length() == sent.length, what + " has " + datagram.length() + " bytes");
        verdict.check(datagram.intact(), what + " was changed");
        verdict.check(at.mayReceive(sent.to, sent.at), what + " is not for it");
        verdict.check(sent.sender.has(datagram.source()), what + " comes from " + datagram.source());
        sent.arrived.add(at);
        return sent.to == at.number() && !sent.answer ? sent.sender.number() : -1;
    }

    /** Returns the datagrams that a socket should have, and has not. */
    List<Integer> missing(DatagramProgram at) {
        List<Integer> missing = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Sent sent = all.get(i);
            if (sent.sent
                    && sent.expected.contains(at)
                    && !sent.arrived.contains(at)
                    && at.mustReceive(sent.to, sent.at)) {
                missing.add(i);
            }
        }
        return missing;
    }

    /** Returns the number of datagrams of one socket that arrived at another after their first copy. */
    private long repeated(DatagramProgram from, DatagramProgram at) {
        return all.stream()
                .filter(sent -> sent.sender == from)
                .mapToLong(sent -> Math.max(
                        0, sent.arrived.stream().filter(each -> each == at).count() - 1))
                .sum();
    }

    /** Ends the run: a datagram arrives twice only if the wire repeated it. */
    void close(List<DatagramProgram> sockets, Wire wire) {
        for (DatagramProgram from : sockets) {
            for (DatagramProgram at : sockets) {
                long repeated = repeated(from, at);
                verdict.check(
                        repeated
                                <= wire.repeated(
                                        from.host().address(), at.host().address()),
                        at + " received " + repeated + " datagrams of " + from
                                + " again, which the wire did not repeat");
            }
        }
        verdict.datagrams(all.stream().mapToInt(sent -> sent.arrived.size()).sum());
    }

    int size() {
        return all.size();
    }
}
