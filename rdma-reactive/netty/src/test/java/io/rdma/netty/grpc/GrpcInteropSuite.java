package io.rdma.netty.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cases of gRPC's interoperability tests ({@code AbstractInteropTest}), over a device, under their names there. Left
 * out are the cases of things that are above a transport and need further libraries: Census, credentials of clouds,
 * ORCA and caching proxies.
 */
abstract class GrpcInteropSuite extends GrpcSuite {
    private static final int LARGE = 314_159; // as there
    private static final Metadata.Key<String> TEXT =
            Metadata.Key.of("x-grpc-test-echo-initial", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<byte[]> BINARY =
            Metadata.Key.of("x-grpc-test-echo-trailing-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private static byte[] call(Channel channel, MethodDescriptor<byte[], byte[]> method, byte[] request) {
        return ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, request);
    }

    private static void assertFails(Status.Code code, @Nullable String description, Runnable call) {
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(call::run)
                .satisfies(e -> assertThat(e.getStatus().getCode()).isEqualTo(code))
                .satisfies(e -> {
                    if (description != null) {
                        assertThat(e.getStatus().getDescription()).isEqualTo(description);
                    }
                });
    }

    private static StreamObserver<byte[]> open(
            Channel channel, MethodDescriptor<byte[], byte[]> method, StreamObserver<byte[]> answers) {
        return ClientCalls.asyncBidiStreamingCall(channel.newCall(method, CallOptions.DEFAULT), answers);
    }

    private static byte[] filled(int size, int answer) {
        byte[] request = new byte[size];
        System.arraycopy(BytesService.sizes(answer), 0, request, 0, Integer.BYTES);
        return request;
    }

    @Test
    void emptyUnary() throws IOException {
        assertThat(call(channel(), BytesService.EMPTY, new byte[0])).isEmpty();
    }

    @Test
    void emptyUnaryWithRetriableStream() throws IOException {
        ManagedChannel channel = channel(channelBuilder(start(serverBuilder(0))).enableRetry());
        assertThat(call(channel, BytesService.EMPTY, new byte[0])).isEmpty();
    }

    @Test
    void largeUnary() throws IOException {
        assertThat(call(channel(), BytesService.UNARY, filled(271_828, LARGE))).isEqualTo(BytesService.bytes(LARGE, 0));
    }

    @Test
    void veryLargeRequest() throws IOException {
        assertThat(call(channel(), BytesService.UNARY, filled(3 << 20, 10))).hasSize(10);
    }

    @Test
    void veryLargeResponse() throws IOException {
        assertThat(call(channel(), BytesService.UNARY, BytesService.sizes(3 << 20)))
                .isEqualTo(BytesService.bytes(3 << 20, 0));
    }

    @Test
    void clientCompressedUnary() throws IOException {
        byte[] answer = ClientCalls.blockingUnaryCall(
                channel(), BytesService.UNARY, CallOptions.DEFAULT.withCompression("gzip"), filled(271_828, LARGE));
        assertThat(answer).isEqualTo(BytesService.bytes(LARGE, 0));
    }

    @Test
    void serverCompressedUnary() throws IOException {
        var server = start(serverBuilder(0).intercept(new ServerInterceptor() {
            @Override
            public <Q, A> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                call.setCompression("gzip");
                return next.startCall(call, headers);
            }
        }));
        AtomicReference<Metadata> headers = new AtomicReference<>();
        Channel capturing = ClientInterceptors.intercept(
                channel(channelBuilder(server)),
                MetadataUtils.newCaptureMetadataInterceptor(headers, new AtomicReference<>()));
        assertThat(call(capturing, BytesService.UNARY, BytesService.sizes(LARGE)))
                .isEqualTo(BytesService.bytes(LARGE, 0));
        assertThat(headers.get().get(Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER)))
                .isEqualTo("gzip");
    }

    @Test
    void serverStreaming() throws IOException {
        int[] sizes = {31_415, 9, 2_653, 58_979};
        Iterator<byte[]> answers = ClientCalls.blockingServerStreamingCall(
                channel(), BytesService.OUTPUT, CallOptions.DEFAULT, BytesService.sizes(sizes));
        for (int i = 0; i < sizes.length; i++) {
            assertThat(answers.next()).isEqualTo(BytesService.bytes(sizes[i], i));
        }
        assertThat(answers.hasNext()).isFalse();
    }

    @Test
    void clientStreaming() throws Exception {
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = ClientCalls.asyncClientStreamingCall(
                channel().newCall(BytesService.INPUT, CallOptions.DEFAULT), answers);
        for (int size : new int[] {27_182, 8, 1_828, 45_904}) {
            requests.onNext(new byte[size]);
        }
        requests.onCompleted();
        assertThat(answers.next()).isEqualTo(BytesService.sizes(74_922));
        assertThat(answers.end()).matches(Status::isOk);
    }

    @Test
    void clientCompressedStreaming() throws Exception {
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = ClientCalls.asyncClientStreamingCall(
                channel().newCall(BytesService.INPUT, CallOptions.DEFAULT.withCompression("gzip")), answers);
        requests.onNext(new byte[27_182]);
        requests.onNext(new byte[45_904]);
        requests.onCompleted();
        assertThat(answers.next()).isEqualTo(BytesService.sizes(73_086));
        assertThat(answers.end()).matches(Status::isOk);
    }

    @Test
    void pingPong() throws Exception {
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = open(channel(), BytesService.FULL_DUPLEX, answers);
        for (int size : new int[] {31_415, 9, 2_653, 58_979}) {
            requests.onNext(BytesService.sizes(size));
            assertThat(answers.next()).hasSize(size);
            answers.assertNoMore();
        }
        requests.onCompleted();
        assertThat(answers.end()).matches(Status::isOk);
    }

    @Test
    void emptyStream() throws Exception {
        AnswersRecorder answers = new AnswersRecorder();
        open(channel(), BytesService.FULL_DUPLEX, answers).onCompleted();
        assertThat(answers.end()).matches(Status::isOk);
        answers.assertNoMore();
    }

    @Test
    void fullDuplexCallShouldSucceed() throws Exception {
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = open(channel(), BytesService.FULL_DUPLEX, answers);
        for (int i = 0; i < 10; i++) {
            requests.onNext(BytesService.sizes(50 + i, 60_000 + i));
        }
        requests.onCompleted();
        for (int i = 0; i < 10; i++) {
            assertThat(answers.next()).isEqualTo(BytesService.bytes(50 + i, 0));
            assertThat(answers.next()).isEqualTo(BytesService.bytes(60_000 + i, 1));
        }
        assertThat(answers.end()).matches(Status::isOk);
    }

    @Test
    void halfDuplexCallShouldSucceed() throws Exception {
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = open(channel(), BytesService.HALF_DUPLEX, answers);
        requests.onNext(BytesService.sizes(50, 70_000));
        requests.onNext(BytesService.sizes(90, 1));
        requests.onCompleted();
        assertThat(answers.next()).isEqualTo(BytesService.bytes(50, 0));
        assertThat(answers.next()).isEqualTo(BytesService.bytes(70_000, 1));
        assertThat(answers.next()).isEqualTo(BytesService.bytes(90, 2));
        assertThat(answers.next()).isEqualTo(BytesService.bytes(1, 3));
        assertThat(answers.end()).matches(Status::isOk);
    }

    @Test
    void cancelAfterBegin() throws Exception {
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = ClientCalls.asyncClientStreamingCall(
                channel().newCall(BytesService.INPUT, CallOptions.DEFAULT), answers);
        requests.onError(new IOException("on purpose"));
        assertThat(answers.end().getCode()).isEqualTo(Status.Code.CANCELLED);
        answers.assertNoMore();
    }

    @Test
    void cancelAfterFirstResponse() throws Exception {
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = open(channel(), BytesService.FULL_DUPLEX, answers);
        requests.onNext(BytesService.sizes(31_415));
        assertThat(answers.next()).hasSize(31_415);
        requests.onError(new IOException("on purpose"));
        assertThat(answers.end().getCode()).isEqualTo(Status.Code.CANCELLED);
        assertThat(service.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void timeoutOnSleepingServer() throws Exception {
        ManagedChannel channel = channel();
        call(channel, BytesService.EMPTY, new byte[0]); // connected, so the deadline meets the call and no connect
        assertFails(
                Status.Code.DEADLINE_EXCEEDED,
                null,
                () -> ClientCalls.blockingUnaryCall(
                        channel,
                        BytesService.SLEEP,
                        CallOptions.DEFAULT.withDeadlineAfter(100, TimeUnit.MILLISECONDS),
                        new byte[0]));
        assertThat(call(channel, BytesService.EMPTY, new byte[0])).isEmpty();
    }

    @Test
    void deadlineExceededServerStreaming() throws Exception {
        ManagedChannel channel = channel();
        call(channel, BytesService.EMPTY, new byte[0]);
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(
                        BytesService.FULL_DUPLEX, CallOptions.DEFAULT.withDeadlineAfter(500, TimeUnit.MILLISECONDS)),
                answers);
        requests.onNext(BytesService.sizes(9)); // may come back or not; the requests have no end
        assertThat(answers.end().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    }

    @Test
    void deadlineInPast() throws IOException {
        ManagedChannel channel = channel();
        assertFails(
                Status.Code.DEADLINE_EXCEEDED,
                null,
                () -> ClientCalls.blockingUnaryCall(
                        channel,
                        BytesService.EMPTY,
                        CallOptions.DEFAULT.withDeadlineAfter(-10, TimeUnit.SECONDS),
                        new byte[0]));
    }

    @Test
    void deadlineNotExceededAndSentAsHeader() throws IOException {
        AtomicReference<@Nullable Context> context = new AtomicReference<>();
        var server = start(serverBuilder(0).intercept(new ServerInterceptor() {
            @Override
            public <Q, A> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                context.set(Context.current());
                return next.startCall(call, headers);
            }
        }));
        ClientCalls.blockingUnaryCall(
                channel(channelBuilder(server)),
                BytesService.EMPTY,
                CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.MINUTES),
                new byte[0]);
        assertThat(context.get()).isNotNull();
        assertThat(context.get().getDeadline()).isNotNull();
        assertThat(context.get().getDeadline().timeRemaining(TimeUnit.SECONDS)).isBetween(300L, 600L);
    }

    @Test
    void customMetadata() throws IOException {
        var server = start(serverBuilder(0).intercept(new EchoMetadata(TEXT, BINARY)));
        Metadata sent = new Metadata();
        sent.put(TEXT, "test_initial_metadata_value");
        sent.put(BINARY, new byte[] {(byte) 0xAB, (byte) 0xAB, (byte) 0xAB});
        AtomicReference<Metadata> headers = new AtomicReference<>();
        AtomicReference<Metadata> trailers = new AtomicReference<>();
        Channel channel = ClientInterceptors.intercept(
                channel(channelBuilder(server)),
                MetadataUtils.newAttachHeadersInterceptor(sent),
                MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));
        assertThat(call(channel, BytesService.UNARY, BytesService.sizes(LARGE))).hasSize(LARGE);
        assertThat(headers.get().get(TEXT)).isEqualTo("test_initial_metadata_value");
        assertThat(trailers.get().get(BINARY)).containsExactly(0xAB, 0xAB, 0xAB);
    }

    @Test
    void exchangeMetadataStreamingCall() throws Exception {
        var server = start(serverBuilder(0).intercept(new EchoMetadata(TEXT, BINARY)));
        Metadata sent = new Metadata();
        sent.put(TEXT, "x".repeat(4_000));
        sent.put(BINARY, BytesService.bytes(2_000, 7));
        AtomicReference<Metadata> headers = new AtomicReference<>();
        AtomicReference<Metadata> trailers = new AtomicReference<>();
        Channel channel = ClientInterceptors.intercept(
                channel(channelBuilder(server)),
                MetadataUtils.newAttachHeadersInterceptor(sent),
                MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = open(channel, BytesService.FULL_DUPLEX, answers);
        requests.onNext(BytesService.sizes(1, 100_000));
        requests.onCompleted();
        assertThat(answers.end()).matches(Status::isOk);
        assertThat(headers.get().get(TEXT)).isEqualTo("x".repeat(4_000));
        assertThat(trailers.get().get(BINARY)).isEqualTo(BytesService.bytes(2_000, 7));
    }

    @ParameterizedTest
    @EnumSource(names = "OK", mode = EnumSource.Mode.EXCLUDE)
    void statusCodeAndMessage(Status.Code code) throws IOException {
        ManagedChannel channel = channel();
        Status status = code.toStatus().withDescription("test status message");
        assertFails(code, "test status message", () -> call(channel, BytesService.STATUS, BytesService.status(status)));
    }

    @Test
    void specialStatusMessage() throws IOException {
        ManagedChannel channel = channel();
        String text = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n";
        assertFails(
                Status.Code.UNKNOWN,
                text,
                () -> call(channel, BytesService.STATUS, BytesService.status(Status.UNKNOWN.withDescription(text))));
    }

    @Test
    void unimplementedMethod() throws IOException {
        ManagedChannel channel = channel();
        assertFails(Status.Code.UNIMPLEMENTED, null, () -> call(channel, BytesService.UNIMPLEMENTED, new byte[0]));
    }

    @Test
    void unimplementedService() throws IOException {
        ManagedChannel channel = channel();
        MethodDescriptor<byte[], byte[]> other = BytesService.EMPTY.toBuilder()
                .setFullMethodName("io.rdma.test.Other/EmptyCall")
                .build();
        assertFails(Status.Code.UNIMPLEMENTED, null, () -> call(channel, other, new byte[0]));
    }

    @Test
    void maxOutboundSize() throws IOException {
        ManagedChannel channel = channel();
        CallOptions most = CallOptions.DEFAULT.withMaxOutboundMessageSize(1_000);
        assertThat(ClientCalls.blockingUnaryCall(channel, BytesService.UNARY, most, filled(1_000, 3)))
                .hasSize(3);
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() -> ClientCalls.blockingUnaryCall(channel, BytesService.UNARY, most, filled(1_001, 3)))
                .satisfies(e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.CANCELLED))
                .withStackTraceContaining("RESOURCE_EXHAUSTED");
    }

    @Test
    void maxInboundSize() throws IOException {
        var server = start(serverBuilder(0));
        ManagedChannel exact = channel(channelBuilder(server).maxInboundMessageSize(1_000));
        assertThat(call(exact, BytesService.UNARY, BytesService.sizes(1_000))).hasSize(1_000);
        assertFails(
                Status.Code.RESOURCE_EXHAUSTED, null, () -> call(exact, BytesService.UNARY, BytesService.sizes(1_001)));
        assertThat(call(exact, BytesService.EMPTY, new byte[0])).isEmpty();
    }

    @Test
    void getServerAddressAndLocalAddressFromClient() throws Exception {
        var server = start(serverBuilder(0));
        ClientCall<byte[], byte[]> call =
                channel(channelBuilder(server)).newCall(BytesService.FULL_DUPLEX, CallOptions.DEFAULT);
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(call, answers);
        requests.onNext(BytesService.sizes(1));
        answers.next();
        assertThat(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR))
                .isEqualTo(new InetSocketAddress("127.0.0.1", server.getPort()));
        assertThat(call.getAttributes().get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR)).isInstanceOf(InetSocketAddress.class);
        requests.onCompleted();
        assertThat(answers.end()).matches(Status::isOk);
    }

    /** Not in gRPC's tests: calls that share the connection, each of which gets its own answer. */
    @Test
    void manyCallsAtOnce() throws Exception {
        ManagedChannel channel = channel();
        List<AnswersRecorder> all = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            AnswersRecorder answers = new AnswersRecorder();
            all.add(answers);
            ClientCalls.asyncUnaryCall(
                    channel.newCall(BytesService.UNARY, CallOptions.DEFAULT), filled(1 + 4 + i, i * 40), answers);
        }
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).next()).hasSize(i * 40);
            assertThat(all.get(i).end().isOk()).isTrue();
        }
    }
}
