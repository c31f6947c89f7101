package io.rdma.samples.bench.transport;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Client that calls a method of gRPC over one connection. */
public final class GrpcLoad implements Load {
    private static final long PATIENCE_SECONDS = 300; // long enough for an emulated machine

    private final ManagedChannel channel;
    private final MethodDescriptor<byte[], byte[]> method;
    private final byte[] request;
    private final long expected;

    /**
     * Creates a client. It connects with its first call.
     *
     * @param expected bytes of all answers to a request
     */
    private GrpcLoad(
            Clients clients,
            String host,
            int port,
            MethodDescriptor<byte[], byte[]> method,
            byte[] request,
            long expected) {
        this.method = method;
        this.request = request;
        this.expected = expected;
        EventLoopGroup group = clients.loops().onClient(clients.transport().isNative());
        NettyChannelBuilder client = NettyChannelBuilder.forAddress(new InetSocketAddress(host, port))
                .eventLoopGroup(group)
                .channelType(clients.loops().onChannelClass(SocketChannel.class, group))
                .usePlaintext()
                .directExecutor();
        clients.transport().options(clients.end()).forEach(client::withOption);
        channel = client.build();
    }

    /**
     * Creates a client of unary calls.
     *
     * @param clients event loops
     * @param host of the server
     * @param port of the server
     * @param size of request and answer
     * @return not connected yet
     */
    public static GrpcLoad unary(Clients clients, String host, int port, int size) {
        return new GrpcLoad(clients, host, port, BytesService.ECHO, new byte[size], size);
    }

    /**
     * Creates a client to which the server streams.
     *
     * @param clients event loops
     * @param host of the server
     * @param port of the server
     * @param count number of messages of a stream
     * @param size of each message
     * @return not connected yet
     */
    public static GrpcLoad stream(Clients clients, String host, int port, int count, int size) {
        byte[] request = BytesService.streamOf(count, size);
        return new GrpcLoad(clients, host, port, BytesService.STREAM, request, (long) count * size);
    }

    @Override
    public void send(Consumer<@Nullable Throwable> ended) {
        StreamObserver<byte[]> answers = new Answers(ended);
        if (method.getType() == MethodDescriptor.MethodType.UNARY) {
            ClientCalls.asyncUnaryCall(channel.newCall(method, CallOptions.DEFAULT), request, answers);
        } else {
            ClientCalls.asyncServerStreamingCall(channel.newCall(method, CallOptions.DEFAULT), request, answers);
        }
    }

    @Override
    public long allocatedByServer() {
        byte[] answer =
                ClientCalls.blockingUnaryCall(channel, BytesService.ALLOCATED, CallOptions.DEFAULT, new byte[0]);
        return ByteBuffer.wrap(answer).getLong();
    }

    @Override
    public void close() {
        channel.shutdown();
        try {
            channel.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The answers to one request. */
    private final class Answers implements StreamObserver<byte[]> {
        private final Consumer<@Nullable Throwable> ended;
        private long received;

        private Answers(Consumer<@Nullable Throwable> ended) {
            this.ended = ended;
        }

        @Override
        public void onNext(byte[] answer) {
            received += answer.length;
        }

        @Override
        public void onError(Throwable error) {
            ended.accept(error);
        }

        @Override
        public void onCompleted() {
            ended.accept(
                    received == expected
                            ? null
                            : new IllegalStateException("received " + received + " bytes instead of " + expected));
        }
    }
}
