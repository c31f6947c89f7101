package io.rdma.netty.grpc;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.rdma.netty.RdmaIoHandler;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Process with a server of {@link BytesService}, until it is killed. */
final class FloodingServer {
    private FloodingServer() {}

    /** Starts the process, which prints {@code listening}, a blank and its port. */
    static JavaProcess start(String device) throws IOException {
        return new JavaProcess(FloodingServer.class, device);
    }

    /** Runs the server. Argument: device. */
    public static void main(String[] args) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, RdmaIoHandler.newFactory(RdmaIoOptions.DEFAULT.withDevice(TestDevice.assumed(args[0]))));
        Server server = RdmaGrpc.server(
                        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0)), group, group)
                .addService(new BytesService().definition())
                .build()
                .start();
        System.out.println("listening " + server.getPort());
        server.awaitTermination();
    }
}
