package io.rdma.samples.bench.transport;

import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import reactor.netty.resources.LoopResources;

/** gRPC server on one transport, in a JVM of its own. */
public final class GrpcServerProgram {
    private GrpcServerProgram() {}

    /**
     * Runs the server.
     *
     * @param arguments name of the transport, address to listen on, and those of {@link EndOptions}
     * @throws IOException if a server cannot listen
     */
    public static void main(String[] arguments) throws IOException {
        ServerStart.run(arguments, GrpcServerProgram::serve);
    }

    private static int serve(Transport transport, String host, EndOptions end) throws IOException {
        LoopResources loops = transport.loops(end);
        EventLoopGroup group = loops.onServer(transport.isNative());
        NettyServerBuilder server = NettyServerBuilder.forAddress(new InetSocketAddress(host, 0))
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .channelType(loops.onChannelClass(ServerSocketChannel.class, group))
                .directExecutor()
                .addService(BytesService.definition());
        transport.options(end).forEach(server::withOption);
        return server.build().start().getPort();
    }
}
