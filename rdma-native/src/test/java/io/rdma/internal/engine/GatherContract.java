package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Contract of requests with several buffers: messages and writes that gather, reads that scatter. */
abstract class GatherContract extends ConnectedContract {
    private static final int SIZE = 100; // bytes of a buffer

    private final List<RegisteredBuffer> buffers = new ArrayList<>();

    private ConnectionOptions options() {
        return small().withRnrRetry(rnrRetry());
    }

    /** Returns buffers of the client with bytes that all differ, each with another limit. */
    private List<RegisteredBuffer> filled(int... limits) {
        List<RegisteredBuffer> made = new ArrayList<>();
        byte next = 1;
        for (int limit : limits) {
            RegisteredBuffer buffer = client.memory().allocateBuffer(Math.max(limit, SIZE));
            for (int i = 0; i < limit; i++) {
                buffer.segment().set(ValueLayout.JAVA_BYTE, i, next++);
            }
            made.add(buffer.limit(limit));
        }
        buffers.addAll(made);
        return made;
    }

    private WorkRequest request(WorkRequestOpcode opcode, List<RegisteredBuffer> of, @Nullable RemoteMemory remote) {
        return WorkRequest.several(opcode, of, remote, client.options());
    }

    private WorkRequest send(List<RegisteredBuffer> of) {
        return request(WorkRequestOpcode.SEND, of, null);
    }

    private static byte[] counted(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }

    private static byte[] bytes(MemorySegment of) {
        return of.toArray(ValueLayout.JAVA_BYTE);
    }

    private void assertArrives(int length) {
        try (ReceivedMessage message = next(server.receives()::poll)) {
            assertThat(bytes(message.segment())).isEqualTo(counted(length));
        }
    }

    private static void assertIdle(List<RegisteredBuffer> all) {
        assertThat(all).noneMatch(buffer -> buffer.segment().isReadOnly());
    }

    private void close(List<RegisteredBuffer> all) {
        all.forEach(RegisteredBuffer::close);
        buffers.removeAll(all);
    }

    private void closeAll() {
        close(List.copyOf(buffers));
    }

    /** Returns the number of requests that both sides have posted, credits excluded. */
    private long requests() {
        return client.counters().posted() - client.counters().creditFrames();
    }

    private int most(WorkRequestOpcode opcode) {
        return client.options().maxBuffers(opcode);
    }

    @Test
    void aMessageIsGatheredByOneRequestWithoutACopy() {
        connect(options());
        awaitFirstFrame();
        assumeThat(most(WorkRequestOpcode.SEND)).as("buffers of a message").isGreaterThanOrEqualTo(3);
        List<RegisteredBuffer> message = filled(7, 0, 93);
        List<RegisteredBuffer> taken = new ArrayList<>();
        for (int i = 0; i < client.options().sendBuffers(); i++) {
            taken.add(acquire(client)); // so that there is no room for a copy
        }
        long before = requests();
        Counted sent = submit(client, send(message));
        assertArrives(100);
        assertThat(sent.ended().error).isNull();
        assertThat(requests() - before).isEqualTo(1);
        assertIdle(message);
        close(taken);
        closeAll();
    }

    @Test
    void theSameRequestCanBePostedAgainAndSmallOnesAreInline() {
        connect(options());
        WorkRequest request = send(filled(3));
        for (int i = 0; i < 50; i++) {
            Counted sent = submit(client, request);
            assertArrives(3);
            assertThat(sent.ended().error).isNull();
        }
        closeAll();
    }

    @Test
    void noBuffersAndEmptyBuffersAreAnEmptyMessage() {
        connect(options());
        for (List<RegisteredBuffer> empty : List.of(List.<RegisteredBuffer>of(), filled(0))) {
            Counted sent = submit(client, send(empty));
            assertArrives(0);
            assertThat(sent.ended().error).isNull();
        }
        closeAll();
    }

    @Test
    void aWriteGathersAsManyEntriesAsTheQueuePairHas() {
        connect(options());
        MemoryRegion target = everything(server, 1000);
        int entries = most(WorkRequestOpcode.RDMA_WRITE);
        List<RegisteredBuffer> source = filled(new int[entries]);
        for (int i = 0; i < entries; i++) {
            source.get(i).limit(10).segment().fill((byte) (i + 1));
        }
        Counted written = submit(client, request(WorkRequestOpcode.RDMA_WRITE, source, target.remote()));
        assertThat(written.ended().error).isNull();
        exchange(client, server); // with iWARP the write may arrive after its completion
        for (int i = 0; i < entries; i++) {
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 10L * i)).isEqualTo((byte) (i + 1));
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 10L * i + 9)).isEqualTo((byte) (i + 1));
        }
        assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 10L * entries)).isZero();
        assertIdle(source);
        closeAll();
    }

    @Test
    void aReadScattersUpToEachLimit() {
        connect(options());
        assumeThat(most(WorkRequestOpcode.RDMA_READ)).as("targets of a read").isGreaterThanOrEqualTo(3);
        MemoryRegion source = everything(server, 60);
        source.segment().copyFrom(MemorySegment.ofArray(counted(60)));
        List<RegisteredBuffer> target = filled(0, 0, 0);
        target.get(0).limit(10);
        target.get(2).limit(50);
        long before = requests();
        Counted read = submit(client, request(WorkRequestOpcode.RDMA_READ, target, source.remote()));
        assertThat(read.ended().error).isNull();
        assertThat(requests() - before).isEqualTo(1);
        assertThat(bytes(target.get(0).segment().asSlice(0, 10))).isEqualTo(counted(10));
        assertThat(bytes(target.get(2).segment().asSlice(0, 50)))
                .isEqualTo(bytes(source.segment().asSlice(10, 50)));
        assertThat(target.get(0).segment().get(ValueLayout.JAVA_BYTE, 10)).isZero();
        assertThat(target.get(2).segment().get(ValueLayout.JAVA_BYTE, 50)).isZero();
        closeAll();
    }

    @Test
    void tooManyBuffersAreRefusedWithTheRemedy() {
        connect(options());
        MemoryRegion memory = everything(server, 1000);
        for (WorkRequestOpcode opcode :
                List.of(WorkRequestOpcode.SEND, WorkRequestOpcode.RDMA_WRITE, WorkRequestOpcode.RDMA_READ)) {
            List<RegisteredBuffer> many = filled(new int[most(opcode) + 1]);
            RemoteMemory remote = opcode == WorkRequestOpcode.SEND ? null : memory.remote();
            assertThatThrownBy(() -> request(opcode, many, remote))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(many.size() + " buffers")
                    .hasMessageContaining("QueuePairCapacity.withMaxSendSge");
        }
        exchange(client, server);
        closeAll();
    }

    @Test
    void aFrameTakesOneEntryOnlyWhereCreditsAreCounted() {
        connect(options().withFlowControl(FlowControl.PLAIN));
        assertThat(most(WorkRequestOpcode.SEND)).isEqualTo(most(WorkRequestOpcode.RDMA_WRITE));
        List<RegisteredBuffer> message = filled(new int[most(WorkRequestOpcode.SEND)]);
        message.getLast().limit(1).segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        Counted sent = submit(client, send(message));
        assertArrives(1);
        assertThat(sent.ended().error).isNull();
        closeAll();
    }

    @Test
    void aBufferIsNoTargetTwice() {
        connect(options());
        assumeThat(most(WorkRequestOpcode.RDMA_READ)).as("targets of a read").isGreaterThanOrEqualTo(2);
        RegisteredBuffer twice = filled(8).getFirst();
        RemoteMemory remote = everything(server, 16).remote();
        assertThatThrownBy(() -> request(WorkRequestOpcode.RDMA_READ, List.of(twice, twice), remote))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("buffer 1 is a target of the same read before");
        Counted written = submit(client, request(WorkRequestOpcode.RDMA_WRITE, List.of(twice, twice), remote));
        assertThat(written.ended().error).isNull();
        assertIdle(List.of(twice));
        closeAll();
    }

    @Test
    void aClosedBufferAmongOthersBorrowsNone() {
        connect(options());
        assumeThat(most(WorkRequestOpcode.SEND)).as("buffers of a message").isGreaterThanOrEqualTo(3);
        List<RegisteredBuffer> message = filled(4, 4, 4);
        message.get(1).close();
        assertThatThrownBy(() -> submit(client, send(message)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertIdle(List.of(message.get(0), message.get(2)));
        exchange(client, server);
        closeAll();
    }

    @Test
    void whatIsTooLongForThePeerIsRefusedAndNothingIsBorrowed() {
        connect(options(), options().withMaxMessageSize(150));
        assumeThat(most(WorkRequestOpcode.SEND)).as("buffers of a message").isGreaterThanOrEqualTo(2);
        List<RegisteredBuffer> message = filled(100, client.options().maxMessageSize() - 99);
        assertThatThrownBy(() -> submit(client, send(message)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxMessageSize");
        RemoteMemory remote = everything(server, 120).remote();
        assertThatThrownBy(() -> submit(client, request(WorkRequestOpcode.RDMA_WRITE, message, remote)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sum of the limits")
                .hasMessageContaining("lower the limit");
        assertIdle(message);
        assertThatThrownBy(() -> BufferList.total(new int[] {Integer.MAX_VALUE, 1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2147483648 bytes");
        closeAll();
    }

    @Test
    void aMessageLargerThanAReceiveBufferIsReadByThePeer() {
        connect(options());
        assumeThat(most(WorkRequestOpcode.SEND)).as("buffers of a message").isGreaterThanOrEqualTo(2);
        List<RegisteredBuffer> message = filled(57, 100_000);
        Counted sent = submit(client, send(message));
        assertThat(sent.ends).hasValue(0); // the peer's application has not taken it yet
        assertThat(message)
                .as("held until then")
                .allMatch(buffer -> buffer.segment().isReadOnly());
        assertArrives(100_057);
        assertThat(sent.ended().error).isNull();
        await().atMost(PATIENCE).untilAsserted(() -> assertIdle(message));
        closeAll();
    }

    @Test
    void aMessageThatWaitsKeepsItsLengthsAndGivesBackWhenItIsAbandoned() {
        connect(options());
        assumeThat(most(WorkRequestOpcode.SEND)).as("buffers of a message").isGreaterThanOrEqualTo(2);
        List<RegisteredBuffer> fill = filled(0);
        for (int i = 0; i < server.options().receiveBuffers(); i++) {
            submit(client, send(fill)).ended();
        }
        List<RegisteredBuffer> kept = filled(2, 3);
        List<RegisteredBuffer> dropped = filled(2, 3);
        Counted waiting = submit(client, send(kept));
        Counted abandoned = submit(client, send(dropped));
        kept.getFirst().limit(1);
        assertThat(kept).allMatch(buffer -> buffer.segment().isReadOnly());
        assertThat(abandoned.abandon()).isTrue();
        assertIdle(dropped);
        for (int i = 0; i < server.options().receiveBuffers(); i++) {
            assertArrives(0);
        }
        assertArrives(5);
        assertThat(waiting.ended().error).isNull();
        exchange(client, server);
        assertThat(abandoned.ends).hasValue(0);
        closeAll();
    }

    @Test
    void aListenerSubmitsAMessageThatIsPostedAtOnce() {
        connect(options());
        assumeThat(most(WorkRequestOpcode.SEND)).as("buffers of a message").isGreaterThanOrEqualTo(2);
        List<RegisteredBuffer> message = filled(60, 40);
        Counted second = new Counted(send(message));
        Counted first = new Counted(send(message)) {
            @Override
            protected void completed(long result) {
                client.submit(second);
                super.completed(result);
            }
        };
        client.submit(first);
        assertArrives(100);
        assertArrives(100);
        assertThat(first.ended().error).isNull();
        assertThat(second.ended().error).isNull();
        assertIdle(message);
        closeAll();
    }

    @Test
    void anArenaThatIsClosedWhileItsMessageWaitsEndsTheMessage() {
        connect(options());
        assumeThat(most(WorkRequestOpcode.SEND)).as("buffers of a message").isGreaterThanOrEqualTo(2);
        Arena arena = Arena.ofShared();
        RegisteredBuffer header = filled(4).getFirst();
        RegisteredBuffer body = client.memory().register(arena.allocate(8));
        for (int i = 0; i < server.options().receiveBuffers(); i++) {
            submit(client, send(List.of())).ended();
        }
        Counted waiting = submit(client, send(List.of(header, body)));
        arena.close();
        for (int i = 0; i < server.options().receiveBuffers(); i++) {
            assertArrives(0);
        }
        assertThat(waiting.ended().error)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("arena");
        exchange(client, server);
        body.close();
        assertIdle(List.of(header));
        closeAll();
    }

    @Test
    void theEndOfTheConnectionGivesAllBuffersBack() {
        connect(options());
        int targets = most(WorkRequestOpcode.RDMA_READ);
        List<RegisteredBuffer> target = filled(new int[targets]);
        target.forEach(buffer -> buffer.limit(8));
        RemoteMemory nowhere = new RemoteMemory(8, 1000, 0x7fff_ff00);
        Counted refused = submit(client, request(WorkRequestOpcode.RDMA_READ, target, nowhere));
        assertThat(refused.ended().error).isNotNull();
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertIdle(target);
        Counted late = submit(client, send(target.subList(0, 1)));
        assertThat(late.ended().error).isNotNull();
        assertIdle(target);
        closeAll();
    }
}
