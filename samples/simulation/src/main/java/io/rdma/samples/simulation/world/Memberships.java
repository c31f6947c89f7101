package io.rdma.samples.simulation.world;

import io.rdma.reactive.RdmaDatagramSocket;
import io.rdma.verbs.DatagramAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Multicast groups that a {@link DatagramProgram} has joined, is joining, or has left. */
final class Memberships {
    private final DatagramProgram program;
    private final DatagramLog log;
    private final List<Group> groups = new ArrayList<>();

    private static final class Group {
        final int number;
        final InetAddress ip;

        @Nullable
        DatagramAddress address; // null until it has joined for the first time

        boolean begun; // it joins, or is a member
        boolean member; // it has joined and does not leave
        long joined; // time at which it became a member
        long left; // time at which it had left

        Group(int number) {
            this.number = number;
            try {
                ip = InetAddress.getByAddress(new byte[] {(byte) 239, 77, 78, (byte) number});
            } catch (UnknownHostException e) {
                throw new AssertionError(e);
            }
        }
    }

    Memberships(DatagramProgram program, DatagramLog log) {
        this.program = program;
        this.log = log;
        for (int i = 0; i < DatagramPlan.GROUPS; i++) {
            groups.add(new Group(i));
        }
    }

    /** Returns whether it is a member of what a datagram was sent to, and has been since then. */
    boolean mustReceive(int to, long sentAt) {
        if (to < DatagramLog.FIRST_GROUP) {
            return false;
        }
        Group group = groups.get(to - DatagramLog.FIRST_GROUP);
        return group.member && group.joined < sentAt;
    }

    /** Returns whether it may have been a member of what a datagram was sent to at some time. */
    boolean mayReceive(int to, long sentAt) {
        if (to < DatagramLog.FIRST_GROUP) {
            return false;
        }
        Group group = groups.get(to - DatagramLog.FIRST_GROUP);
        return group.begun || sentAt < group.left;
    }

    /** Returns the addresses of the groups that it is a member of. */
    List<DatagramTarget> targets() {
        List<DatagramTarget> targets = new ArrayList<>();
        for (Group group : groups) {
            DatagramAddress address = group.address;
            if (group.member && address != null) {
                targets.add(new DatagramTarget(DatagramLog.FIRST_GROUP + group.number, address));
            }
        }
        return targets;
    }

    /** Joins the groups of the plan. */
    void join(RdmaDatagramSocket socket) {
        for (Group group : groups) {
            if (program.plan().joins(group.number)) {
                group.begun = true;
                join(socket, group);
                join(socket, group); // has no effect
            }
        }
    }

    private void join(RdmaDatagramSocket socket, Group group) {
        Call<Void> joined = program.local("joining group " + group.number, socket.join(group.ip), address -> {
            DatagramAddress before = group.address;
            program.check(before == null || before.equals(address), "group " + group.number + " has two addresses");
            group.address = address;
            if (!group.member) {
                group.member = true;
                group.joined = log.time();
            }
        });
        joined.succeeds();
    }

    /** Leaves all groups. */
    void leave(RdmaDatagramSocket socket) {
        for (Group group : groups) {
            if (group.member) {
                group.member = false;
                Call<Void> left = program.call(
                        "leaving group " + group.number, socket.leave(group.ip), nothing -> {}, program::failedToLeave);
                if (left.succeeds()) {
                    group.begun = false;
                    group.left = log.time();
                }
            }
        }
    }

    /** Returns the address of a group. */
    InetAddress group(int number) {
        return groups.get(number).ip;
    }
}
