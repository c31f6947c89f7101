package io.rdma.reactive;

import static io.rdma.reactive.ContractPair.LARGE;
import static io.rdma.reactive.ContractPair.PATIENCE;
import static io.rdma.reactive.ContractPair.RECEIVE;
import static io.rdma.reactive.ContractPair.RECEIVES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Endpoint;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Contract of messages, writes and reads with several buffers, the same on every device. */
abstract class GatherContract {
    private ContractPair pair;
    private RdmaConnection client;
    private RdmaConnection peer;
    private RegisteredBuffer header;
    private RegisteredBuffer body;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void connect() throws InterruptedException {
        pair = new ContractPair(device());
        client = pair.client;
        peer = pair.peer;
        header = Objects.requireNonNull(client.acquire().block(PATIENCE));
        body = registered(LARGE);
        header.segment().fill((byte) 1);
        body.segment().fill((byte) 2);
        header.limit(5);
    }

    @AfterEach
    void nothingIsLeft() {
        if (pair != null) {
            header.close();
            body.close();
            pair.close();
        }
    }

    private RegisteredBuffer registered(int bytes) {
        MemoryRegion region = Objects.requireNonNull(
                client.allocate(bytes, AccessFlag.LOCAL_WRITE).block(PATIENCE));
        return RegisteredBuffer.of(region, 0, bytes);
    }

    private void assumeBuffers(WorkRequestOpcode opcode) {
        assumeThat(Endpoint.of(client.endpoint()).options().maxBuffers(opcode))
                .as("buffers of one request")
                .isGreaterThanOrEqualTo(2);
    }

    private void assertIdle() {
        await().atMost(PATIENCE)
                .until(() -> !header.segment().isReadOnly() && !body.segment().isReadOnly());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, RECEIVE - 5, RECEIVE, LARGE - 5})
    void aHeaderAndABodyAreOneMessage(int length) {
        assumeBuffers(WorkRequestOpcode.SEND);
        body.limit(length);
        Mono<Void> sending = client.send(List.of(header, body));
        for (int i = 0; i < 2; i++) { // each subscription is a message
            byte[] message = Objects.requireNonNull(peer.receive()
                    .asByteArray()
                    .next()
                    .doOnSubscribe(ready -> sending.subscribe())
                    .block(PATIENCE));
            assertThat(message).hasSize(5 + length).startsWith(1, 1, 1, 1, 1);
            assertThat(message[message.length - 1]).isEqualTo((byte) (length == 0 ? 1 : 2));
        }
        assertIdle();
    }

    @Test
    void whatIsSentIsGivenBack() {
        assumeBuffers(WorkRequestOpcode.SEND);
        RdmaConnection connection = client;
        body.limit(10);
        Mono<Void> sent = connection.send(List.of(header, body));
        StepVerifier.create(sent).verifyComplete();
        assertIdle();
        assertThat(peer.receive().asByteArray().next().block(PATIENCE)).hasSize(15);
    }

    @Test
    void aWriteGathersAndAReadScatters() {
        assumeBuffers(WorkRequestOpcode.RDMA_READ);
        MemoryRegion memory = Objects.requireNonNull(peer.allocate(50, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ)
                .block(PATIENCE));
        RemoteMemory remote = memory.remote();
        body.limit(45);
        client.write(List.of(header, body), remote)
                .then(Mono.fromRunnable(() -> {
                    header.segment().fill((byte) 0);
                    body.segment().fill((byte) 0);
                }))
                .then(Mono.defer(() -> client.read(remote, List.of(body.limit(6), header.limit(44)))))
                .block(PATIENCE);
        assertThat(body.segment().asSlice(0, 7).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 1, 1, 1, 1, 2, 0);
        byte[] rest = new byte[44];
        Arrays.fill(rest, (byte) 2);
        assertThat(header.segment().asSlice(0, 44).mismatch(MemorySegment.ofArray(rest)))
                .isEqualTo(-1);
    }

    @Test
    void tooManyBuffersAreAnErrorThatNamesTheRemedy() {
        List<RegisteredBuffer> many = Collections.nCopies(100, header);
        RemoteMemory remote = new RemoteMemory(8, LARGE, 1);
        for (Mono<Void> refused : List.of(client.send(many), client.write(many, remote), client.read(remote, many))) {
            StepVerifier.create(refused)
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("withMaxSendSge"))
                    .verify(PATIENCE);
        }
        assertIdle();
    }

    @Test
    void aCancelBeforeThePostGivesAllBuffersBack() {
        assumeBuffers(WorkRequestOpcode.SEND);
        Flux.range(0, RECEIVES).concatMap(i -> client.send("fills the ring")).blockLast(PATIENCE);
        body.limit(3);
        Disposable waiting = client.send(List.of(header, body)).subscribe();
        assertThat(header.segment().isReadOnly() && body.segment().isReadOnly())
                .as("borrowed while it waits")
                .isTrue();
        waiting.dispose();
        assertThat(header.segment().isReadOnly() || body.segment().isReadOnly()).isFalse();
        assertThat(peer.receive()
                        .asString()
                        .mergeWith(client.send("last").cast(String.class))
                        .take(RECEIVES + 1)
                        .last()
                        .block(PATIENCE))
                .isEqualTo("last");
    }

    @Test
    void theEndOfTheConnectionGivesAllBuffersBack() {
        assumeBuffers(WorkRequestOpcode.SEND);
        Mono<Void> unread = client.send(List.of(header, body.limit(LARGE - 5))).cache();
        unread.subscribe(null, error -> {});
        peer.abort(new IllegalStateException("the peer gives up"));
        StepVerifier.create(unread).expectError().verify(PATIENCE);
        assertIdle();
    }
}
