package io.rdma.netty.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

// The methods are those of the service of gRPC's interoperability tests. A request of a method that answers with bytes
// begins with the sizes of the answers. The message number n of a stream is full of bytes n.

/** Service of the tests, with arrays of bytes as messages, so that it needs no compiler of messages. */
final class BytesService {
    static final String NAME = "io.rdma.test.BytesService";
    static final int FLOOD_SIZE = 16 << 10;
    static final int FLOOD_MOST = 512; // 8 MiB, several times what the buffers of a connection hold

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new Bytes(); // before the methods, which use it

    static final MethodDescriptor<byte[], byte[]> EMPTY = method(MethodDescriptor.MethodType.UNARY, "EmptyCall");
    static final MethodDescriptor<byte[], byte[]> UNARY = method(MethodDescriptor.MethodType.UNARY, "UnaryCall");
    static final MethodDescriptor<byte[], byte[]> STATUS = method(MethodDescriptor.MethodType.UNARY, "StatusCall");
    static final MethodDescriptor<byte[], byte[]> SLEEP = method(MethodDescriptor.MethodType.UNARY, "SleepingCall");
    static final MethodDescriptor<byte[], byte[]> OUTPUT =
            method(MethodDescriptor.MethodType.SERVER_STREAMING, "StreamingOutputCall");
    static final MethodDescriptor<byte[], byte[]> FLOOD =
            method(MethodDescriptor.MethodType.SERVER_STREAMING, "FloodingCall");
    static final MethodDescriptor<byte[], byte[]> INPUT =
            method(MethodDescriptor.MethodType.CLIENT_STREAMING, "StreamingInputCall");
    static final MethodDescriptor<byte[], byte[]> FULL_DUPLEX =
            method(MethodDescriptor.MethodType.BIDI_STREAMING, "FullDuplexCall");
    static final MethodDescriptor<byte[], byte[]> HALF_DUPLEX =
            method(MethodDescriptor.MethodType.BIDI_STREAMING, "HalfDuplexCall");
    static final MethodDescriptor<byte[], byte[]> UNIMPLEMENTED =
            method(MethodDescriptor.MethodType.UNARY, "UnimplementedCall");

    /** Messages that the present flood has sent. */
    final AtomicInteger flooded = new AtomicInteger();
    /** Is 0 when the transport has held the present flood back. */
    volatile CountDownLatch held = new CountDownLatch(1);
    /** Is 0 when a call was cancelled that never ends by itself. */
    volatile CountDownLatch cancelled = new CountDownLatch(1);

    static MethodDescriptor<byte[], byte[]> method(MethodDescriptor.MethodType type, String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
    }

    /** Returns a request for answers of these sizes. */
    static byte[] sizes(int... sizes) {
        ByteBuffer request = ByteBuffer.allocate(Integer.BYTES * sizes.length);
        for (int size : sizes) {
            request.putInt(size);
        }
        return request.array();
    }

    /** Returns a message. */
    static byte[] bytes(int size, int number) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) number);
        return bytes;
    }

    /** Returns a request of {@link #STATUS}. */
    static byte[] status(Status status) {
        String description = status.getDescription() == null ? "" : status.getDescription();
        byte[] text = description.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + text.length)
                .putInt(status.getCode().value())
                .put(text)
                .array();
    }

    /** Forgets the last test. */
    void reset() {
        flooded.set(0);
        held = new CountDownLatch(1);
        cancelled = new CountDownLatch(1);
    }

    ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(NAME)
                .addMethod(EMPTY, ServerCalls.asyncUnaryCall((request, answers) -> one(answers, new byte[0])))
                .addMethod(
                        UNARY,
                        ServerCalls.asyncUnaryCall((request, answers) ->
                                one(answers, bytes(ByteBuffer.wrap(request).getInt(), 0))))
                .addMethod(
                        STATUS,
                        ServerCalls.asyncUnaryCall((request, answers) -> answers.onError(Status.fromCodeValue(
                                        ByteBuffer.wrap(request).getInt())
                                .withDescription(new String(
                                        request, Integer.BYTES, request.length - Integer.BYTES, StandardCharsets.UTF_8))
                                .asRuntimeException())))
                .addMethod(SLEEP, ServerCalls.asyncUnaryCall((request, answers) -> awaitCancel(answers)))
                .addMethod(OUTPUT, ServerCalls.asyncServerStreamingCall((request, answers) -> {
                    answer(List.of(request), answers);
                    answers.onCompleted();
                }))
                .addMethod(FLOOD, ServerCalls.asyncServerStreamingCall((request, answers) -> flood(answers)))
                .addMethod(INPUT, ServerCalls.asyncClientStreamingCall(BytesService::summed))
                .addMethod(FULL_DUPLEX, ServerCalls.asyncBidiStreamingCall(this::answered))
                .addMethod(HALF_DUPLEX, ServerCalls.asyncBidiStreamingCall(BytesService::answeredAtEnd))
                .build();
    }

    private static void one(StreamObserver<byte[]> answers, byte[] answer) {
        answers.onNext(answer);
        answers.onCompleted();
    }

    private static void answer(List<byte[]> requests, StreamObserver<byte[]> answers) {
        int number = 0;
        for (byte[] request : requests) {
            for (ByteBuffer sizes = ByteBuffer.wrap(request); sizes.hasRemaining(); ) {
                answers.onNext(bytes(sizes.getInt(), number++));
            }
        }
    }

    private void awaitCancel(StreamObserver<byte[]> answers) {
        CountDownLatch told = cancelled;
        ((ServerCallStreamObserver<byte[]>) answers).setOnCancelHandler(told::countDown);
    }

    /** Sends as long as the transport takes more. */
    private void flood(StreamObserver<byte[]> answers) {
        ServerCallStreamObserver<byte[]> client = (ServerCallStreamObserver<byte[]>) answers;
        awaitCancel(client);
        client.setOnReadyHandler(() -> {
            while (client.isReady() && flooded.get() < FLOOD_MOST) {
                client.onNext(bytes(FLOOD_SIZE, flooded.getAndIncrement()));
                if (flooded.get() == FLOOD_MOST) {
                    client.onCompleted();
                }
            }
            held.countDown();
        });
    }

    /** Answers with the number of bytes of all requests. */
    private static StreamObserver<byte[]> summed(StreamObserver<byte[]> answers) {
        AtomicInteger sum = new AtomicInteger();
        return new Requests(answers) {
            @Override
            public void onNext(byte[] request) {
                sum.addAndGet(request.length);
            }

            @Override
            public void onCompleted() {
                one(answers, sizes(sum.get()));
            }
        };
    }

    private StreamObserver<byte[]> answered(StreamObserver<byte[]> answers) {
        awaitCancel(answers);
        return new Requests(answers) {
            @Override
            public void onNext(byte[] request) {
                answer(List.of(request), answers);
            }
        };
    }

    private static StreamObserver<byte[]> answeredAtEnd(StreamObserver<byte[]> answers) {
        List<byte[]> requests = new ArrayList<>();
        return new Requests(answers) {
            @Override
            public void onNext(byte[] request) {
                requests.add(request);
            }

            @Override
            public void onCompleted() {
                answer(requests, answers);
                answers.onCompleted();
            }
        };
    }

    /** Requests of one call. */
    private abstract static class Requests implements StreamObserver<byte[]> {
        private final StreamObserver<byte[]> answers;

        Requests(StreamObserver<byte[]> answers) {
            this.answers = answers;
        }

        @Override
        public void onError(Throwable error) {
            // the client has cancelled, and takes no answer
        }

        @Override
        public void onCompleted() {
            answers.onCompleted();
        }
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
