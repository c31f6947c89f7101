package io.rdma.samples.bench.transport;

import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.rdma.samples.bench.exchange.OtherJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import reactor.netty.resources.LoopResources;

/** gRPC servers on all transports, in a JVM of their own. */
public final class GrpcServers {
    private GrpcServers() {}

    /**
     * Runs the servers. {@link OtherJvm#port} finds each by the name of its transport.
     *
     * @param arguments address to listen on, and those of {@link EndOptions}
     * @throws IOException if a server cannot listen
     */
    public static void main(String[] arguments) throws IOException {
        for (Transport transport : Transport.present()) {
            OtherJvm.listening(transport.name(), serve(transport, arguments[0], EndOptions.parse(arguments, 1)));
        }
        OtherJvm.untilTheEnd();
    }

    /**
     * Starts a server, which listens as long as the process lives.
     *
     * @return its port
     */
    private static int serve(Transport transport, String host, EndOptions end) throws IOException {
        LoopResources loops = transport.loops(end);
        EventLoopGroup group = loops.onServer(transport.isNative());
        NettyServerBuilder server = NettyServerBuilder.forAddress(new InetSocketAddress(host, 0))
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .channelType(loops.onChannelClass(ServerSocketChannel.class, group))
                .directExecutor()
                .addService(BytesService.definition());
        transport.options(end).forEach(server::withChildOption);
        return server.build().start().getPort();
    }
}
