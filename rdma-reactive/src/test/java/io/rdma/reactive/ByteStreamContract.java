package io.rdma.reactive;

import static io.rdma.reactive.ContractPair.LARGE;
import static io.rdma.reactive.ContractPair.PATIENCE;
import static io.rdma.reactive.ContractPair.RECEIVE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.testing.FullStack;
import io.rdma.testing.TestDevice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Contract of byte streams over a connection, the same on every device. */
abstract class ByteStreamContract {
    private static final int FULL_STACKS = 64;

    private ContractPair pair;
    private RdmaByteStream client;
    private RdmaByteStream peer;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void connect() throws InterruptedException {
        pair = new ContractPair(device());
        client = RdmaByteStream.of(pair.client);
        peer = RdmaByteStream.of(pair.peer);
    }

    @AfterEach
    void nothingIsLeft() {
        if (pair != null) {
            pair.close();
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] joined(Iterable<ByteBuffer> pieces) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        pieces.forEach(piece -> all.writeBytes(piece.array()));
        return all.toByteArray();
    }

    private static Mono<byte[]> all(RdmaByteStream from) {
        return from.read().collectList().map(ByteStreamContract::joined);
    }

    private long requests() {
        var counters = pair.client.endpoint().counters();
        return counters.posted() - counters.creditFrames();
    }

    private static CompletableFuture<Void> run(Step step) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        step.run();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                },
                Thread::startVirtualThread);
    }

    private interface Step {
        void run() throws IOException;
    }

    /** A thread that waits in a step, and the exception that ends its wait. */
    private record Blocked(Thread thread, CompletableFuture<IOException> end) {
        static Blocked in(Step step) {
            CompletableFuture<IOException> end = new CompletableFuture<>();
            Thread thread = Thread.startVirtualThread(() -> {
                try {
                    step.run();
                    end.completeExceptionally(new AssertionError("it ended without an exception"));
                } catch (IOException e) {
                    end.complete(e);
                }
            });
            await().atMost(PATIENCE).until(() -> thread.getState() == Thread.State.WAITING);
            return new Blocked(thread, end);
        }

        IOException ended() throws Exception {
            return end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static void writeInPieces(OutputStream to, byte[] bytes) throws IOException {
        Random random = new Random(3);
        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(bytes.length - at, random.nextInt(3 * RECEIVE));
            to.write(bytes, at, length);
            at += length;
            if (random.nextInt(10) == 0) {
                to.flush();
            }
        }
    }

    @Test
    void bytesArriveInOrderBothWaysWhateverTheLengthsOfWritesAndReads() throws Exception {
        byte[] bytes = random(5 * LARGE + 1);
        CompletableFuture<Void> echo = run(() -> {
            try (OutputStream out = peer.outputStream()) {
                peer.inputStream().transferTo(out);
            }
        });
        CompletableFuture<Void> writing = run(() -> {
            try (OutputStream out = client.outputStream()) {
                writeInPieces(out, bytes);
            }
        });
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        InputStream in = client.inputStream();
        byte[] some = new byte[700];
        for (int count; (count = in.read(some)) >= 0; ) {
            read.write(some, 0, count);
        }
        assertThat(read.toByteArray()).isEqualTo(bytes);
        assertThat(in.read()).as("the end stays").isEqualTo(-1);
        writing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        echo.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, RECEIVE, 3 * LARGE})
    void publishersWriteAndReadWithoutThreads(int length) {
        byte[] bytes = random(length);
        ByteBuffer content = ByteBuffer.wrap(bytes);
        Mono<byte[]> received = all(peer);
        byte[] arrived = Mono.when(client.write(content).then(client.end()))
                .then(Mono.<byte[]>empty())
                .mergeWith(received)
                .blockLast(PATIENCE);
        assertThat(arrived).isEqualTo(bytes);
        assertThat(content.position()).isZero();
        StepVerifier.create(peer.read()).verifyComplete();
    }

    @Test
    void smallWritesAreOneMessageThatLeavesAtTheFlush() throws IOException {
        OutputStream out = client.outputStream();
        client.flush().block(PATIENCE); // nothing is there, so nothing is sent
        long before = requests();
        for (int i = 0; i < 500; i++) {
            out.write(i);
        }
        assertThat(requests()).isEqualTo(before);
        out.flush();
        out.flush();
        byte[] first =
                Objects.requireNonNull(peer.read().next().block(PATIENCE)).array();
        assertThat(first).hasSize(500).startsWith(0, 1, 2);
        assertThat(requests() - before).isEqualTo(1);
    }

    @Test
    void whatIsNotRequestedSlowsTheWriterDown() {
        byte[] bytes = random(2 * LARGE);
        CompletableFuture<Void> writing =
                client.write(ByteBuffer.wrap(bytes)).then(client.end()).toFuture();
        StepVerifier.create(peer.read(), 1)
                .expectNextCount(1)
                .then(() -> assertThat(writing).isNotDone())
                .thenCancel()
                .verify(PATIENCE);
        byte[] rest = Objects.requireNonNull(all(peer).block(PATIENCE));
        assertThat(rest).isEqualTo(Arrays.copyOfRange(bytes, bytes.length - rest.length, bytes.length));
        assertThat(writing).succeedsWithin(PATIENCE);
    }

    @Test
    void theDiscardHookOfAWriterClosesNoBufferThatIsFilled() {
        byte[] bytes = random(2 * LARGE);
        CompletableFuture<Void> writing = client.write(ByteBuffer.wrap(bytes))
                .then(client.end())
                .doOnDiscard(RegisteredBuffer.class, RegisteredBuffer::close)
                .toFuture();
        assertThat(all(peer).block(PATIENCE)).isEqualTo(bytes);
        assertThat(writing).succeedsWithin(PATIENCE);
    }

    @Test
    void withoutFarewellsACloseOfThePeerIsNoEnd() throws InterruptedException {
        pair.close();
        pair = new ContractPair(
                device(), RdmaResources.open(TestDevice.assumed(device())), o -> o.withFlowControl(FlowControl.PLAIN));
        client = RdmaByteStream.of(pair.client);
        peer = RdmaByteStream.of(pair.peer);
        cutStreamIsNoEnd(client, pair.client, peer); // on iWARP the client has to send first
    }

    @Test
    void aPeerThatClosesOrAbortsWithinItsStreamIsNoEnd() {
        cutStreamIsNoEnd(peer, pair.peer, client);
    }

    private static void cutStreamIsNoEnd(RdmaByteStream from, RdmaConnection ofFrom, RdmaByteStream to) {
        from.write(ByteBuffer.wrap(random(10))).then(from.flush()).block(PATIENCE);
        StepVerifier.create(to.read())
                .expectNextCount(1)
                .then(ofFrom::dispose)
                .expectError(ConnectionClosedException.class)
                .verify(PATIENCE);
        assertThatThrownBy(() -> to.inputStream().read())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no end");
        assertThatThrownBy(() -> to.outputStream().write(1))
                .isInstanceOf(IOException.class)
                .hasCauseInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void aPeerThatClosesBehindItsEndIsTheEnd() throws IOException {
        Mono.when(peer.write(ByteBuffer.wrap(random(10))), peer.end()).block(PATIENCE);
        pair.peer.dispose();
        pair.client.onDispose().block(PATIENCE);
        assertThat(client.inputStream().readAllBytes()).isEqualTo(random(10));
        StepVerifier.create(client.read()).verifyComplete();
    }

    @Test
    void aCloseOfThisSideIsNoEnd() {
        CompletableFuture<byte[]> reading = all(client).toFuture();
        pair.client.dispose();
        assertThat(reading)
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void nothingIsWrittenBehindTheEnd() {
        client.end().block(PATIENCE);
        client.end().block(PATIENCE);
        StepVerifier.create(client.write(ByteBuffer.wrap(random(1))))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("has ended"))
                .verify(PATIENCE);
        peer.write(ByteBuffer.wrap(random(1))).then(peer.end()).block(PATIENCE); // the other way is open
        assertThat(all(client).block(PATIENCE)).isEqualTo(random(1));
        StepVerifier.create(peer.read()).verifyComplete();
    }

    @Test
    void aReaderThatIsInterruptedLosesNothing() throws Exception {
        InputStream in = peer.inputStream();
        Blocked reader = Blocked.in(in::read);
        reader.thread().interrupt();
        assertThat(reader.ended()).isInstanceOf(InterruptedIOException.class);
        Flux.concat(client.write(ByteBuffer.wrap(random(9))), client.end()).blockLast(PATIENCE);
        assertThat(in.readAllBytes()).isEqualTo(random(9));
        in.close();
        assertThatThrownBy(in::read).isInstanceOf(IOException.class).hasMessageContaining("closed");
    }

    @Test
    void bytesThatWereNotFlushedAreLostAndSoNoEnd() {
        peer.write(ByteBuffer.wrap(random(10))).block(PATIENCE);
        pair.peer.dispose();
        StepVerifier.create(client.read())
                .expectError(ConnectionClosedException.class)
                .verify(PATIENCE);
    }

    @Test
    void aWriterThatIsInterruptedKnowsWhatItWrote() throws Exception {
        byte[] bytes = random(2 * LARGE);
        OutputStream out = client.outputStream();
        Blocked writer = Blocked.in(() -> out.write(bytes)); // nobody reads
        writer.thread().interrupt();
        int written = ((InterruptedIOException) writer.ended()).bytesTransferred;
        assertThat(written).isGreaterThan(0).isLessThan(bytes.length);
        CompletableFuture<byte[]> received = all(peer).toFuture();
        run(() -> {
            out.write(bytes, written, bytes.length - written);
            out.close();
            out.close();
        });
        assertThat(received.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(bytes);
    }

    @Test
    void aSecondReaderIsRefusedAndReadsAfterACancel() throws IOException {
        InputStream in = peer.inputStream();
        Disposable reading = peer.read().subscribe();
        assertThatThrownBy(in::read).isInstanceOf(IOException.class).hasMessageContaining("another subscriber");
        reading.dispose();
        client.write(ByteBuffer.wrap(random(9))).then(client.flush()).block(PATIENCE);
        assertThat(in.available()).isZero();
        assertThat(in.read()).isEqualTo(Byte.toUnsignedInt(random(9)[0]));
        assertThat(in.available()).isEqualTo(8);
        StepVerifier.create(peer.read())
                .expectError(IllegalStateException.class)
                .verify(PATIENCE);
        in.close(); // the message that is here is closed
        assertThat(in.available()).isZero();
        client.write(ByteBuffer.wrap(random(3))).then(client.end()).block(PATIENCE);
        assertThat(all(peer).block(PATIENCE)).isEqualTo(random(3));
    }

    @Test
    void aCloseOfTheInputEndsAThreadThatWaits() throws Exception {
        InputStream in = peer.inputStream();
        Blocked reader = Blocked.in(in::read);
        in.close();
        assertThat(reader.ended()).hasMessageContaining("closed");
    }

    @Test
    void aCloseOfTheInputNotesTheEndThatIsHere() throws Exception {
        InputStream in = peer.inputStream();
        Blocked reader = Blocked.in(in::read);
        reader.thread().interrupt();
        assertThat(reader.ended()).isInstanceOf(InterruptedIOException.class);
        client.end().block(PATIENCE);
        await().atMost(PATIENCE).until(() -> pair.peer.endpoint().outstandingReceives() == 1);
        in.close();
        StepVerifier.create(peer.read()).expectComplete().verify(PATIENCE);
    }

    /** A read that throws StackOverflowError has taken nothing, and a later one goes on. */
    @Test
    void aReadOnAFullStackLosesNothing() throws Exception {
        byte[] bytes = random(FULL_STACKS + 1);
        Flux.range(0, bytes.length)
                .concatMap(
                        i -> client.write(ByteBuffer.wrap(bytes, i, 1).slice()).then(client.flush()))
                .concatWith(client.end().cast(Void.class))
                .subscribe();
        InputStream in = peer.inputStream();
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        FullStack.atEachDepth(FULL_STACKS, () -> {
            try {
                read.write(in.read());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        in.transferTo(read);
        assertThat(read.toByteArray()).isEqualTo(bytes);
        FullStack.atEachDepth(FULL_STACKS, () -> {
            try {
                in.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void aReadOnTheLoopIsRefused() {
        CompletableFuture<ByteBuffer> reading = peer.read()
                .doOnNext(bytes -> {
                    try {
                        client.inputStream().read();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .next()
                .toFuture();
        client.write(ByteBuffer.wrap(random(1))).then(client.flush()).block(PATIENCE);
        assertThat(reading)
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("virtual thread");
    }
}
