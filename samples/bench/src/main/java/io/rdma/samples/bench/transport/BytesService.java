package io.rdma.samples.bench.transport;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Service whose messages are arrays of bytes, so that it needs no compiler of messages. */
final class BytesService {
    private static final String NAME = "io.rdma.samples.bench.BytesService";
    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new Bytes(); // before the methods, which use it

    /** Answers with the request. */
    static final MethodDescriptor<byte[], byte[]> ECHO = method(MethodType.UNARY, "Echo");

    /** Answers with messages; the request says how many, and of which size. */
    static final MethodDescriptor<byte[], byte[]> STREAM = method(MethodType.SERVER_STREAMING, "Stream");

    /** Answers with the number of bytes that the JVM has allocated. */
    static final MethodDescriptor<byte[], byte[]> ALLOCATED = method(MethodType.UNARY, "Allocated");

    private BytesService() {}

    private static MethodDescriptor<byte[], byte[]> method(MethodType type, String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
    }

    /** Returns a request of {@link #STREAM}. */
    static byte[] streamOf(int count, int size) {
        return ByteBuffer.allocate(2 * Integer.BYTES).putInt(count).putInt(size).array();
    }

    static ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(NAME)
                .addMethod(ECHO, ServerCalls.asyncUnaryCall(BytesService::answer))
                .addMethod(STREAM, ServerCalls.asyncServerStreamingCall(BytesService::stream))
                .addMethod(
                        ALLOCATED,
                        ServerCalls.asyncUnaryCall((request, answers) -> answer(
                                ByteBuffer.allocate(Long.BYTES)
                                        .putLong(Allocated.bytes())
                                        .array(),
                                answers)))
                .build();
    }

    private static void answer(byte[] answer, StreamObserver<byte[]> answers) {
        answers.onNext(answer);
        answers.onCompleted();
    }

    /** Sends as long as the transport takes more. */
    private static void stream(byte[] request, StreamObserver<byte[]> answers) {
        ServerCallStreamObserver<byte[]> client = (ServerCallStreamObserver<byte[]>) answers;
        ByteBuffer fields = ByteBuffer.wrap(request);
        int[] left = {fields.getInt()};
        byte[] message = new byte[fields.getInt()];
        client.setOnReadyHandler(() -> {
            while (left[0] > 0 && client.isReady()) {
                client.onNext(message);
                if (--left[0] == 0) {
                    client.onCompleted();
                }
            }
        });
    }

    /** Message that is an array of bytes. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
