package io.rdma.internal.soft.link;

import io.rdma.internal.ibv.NativeMemory;

/** Access to {@code struct pollfd}. */
final class PollFds {
    private static final int FD = 0;
    private static final int EVENTS = 4;
    private static final int REVENTS = 6;

    private PollFds() {}

    static void watch(long at, int fd, short events) {
        NativeMemory.putInt(at + FD, fd);
        NativeMemory.putShort(at + EVENTS, events);
        NativeMemory.putShort(at + REVENTS, (short) 0);
    }

    static boolean ready(long at) {
        return NativeMemory.getShort(at + REVENTS) != 0;
    }
}
