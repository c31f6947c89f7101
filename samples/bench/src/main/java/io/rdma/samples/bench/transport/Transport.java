package io.rdma.samples.bench.transport;

import io.netty.channel.ChannelOption;
import io.rdma.connect.ConnectionOptions;
import io.rdma.netty.RdmaChannelOption;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.netty.reactor.RdmaLoopResources;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import reactor.netty.resources.LoopResources;

/** A transport of Netty. */
public enum Transport {
    /** Channels of this library. */
    RDMA,
    /** TCP by Netty's native transport. */
    EPOLL,
    /** TCP by the JDK. */
    NIO;

    /**
     * Returns the transports that this host has.
     *
     * @return all, or all but {@link #EPOLL}
     */
    public static List<Transport> present() {
        return Arrays.stream(values())
                .filter(one -> one != EPOLL || LoopResources.hasNativeSupport())
                .toList();
    }

    /**
     * Returns the name for figures.
     *
     * @param device of {@link #RDMA}
     * @return a name
     */
    public String label(String device) {
        return this == RDMA ? device : this == EPOLL ? "epoll TCP" : "NIO TCP";
    }

    /** Returns whether native event loops are asked for. */
    boolean isNative() {
        return this == EPOLL;
    }

    /** Creates event loops on daemon threads. */
    LoopResources loops(EndOptions end) {
        if (this != RDMA) {
            return LoopResources.create("bench-" + name(), end.loops(), true);
        }
        RdmaDevice device = RdmaDevices.named(end.device());
        return RdmaLoopResources.create("bench", end.loops(), true, RdmaIoOptions.DEFAULT.withDevice(device));
    }

    /** Returns options of a client's channel, and of the channel that accepts a server's clients. */
    Map<ChannelOption<ConnectionOptions>, ConnectionOptions> options(EndOptions end) {
        return this == RDMA ? Map.of(RdmaChannelOption.CONNECTION_OPTIONS, end.connection()) : Map.of();
    }
}
