package io.rdma.verbs;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.types.PostingInterface;
import io.rdma.types.WorkRequestOpcode;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The interface by which requests are posted to a queue pair, and the operations for which it was created. */
final class SendInterface {
    private final Verbs verbs;
    private final @Nullable ExtendedVerbs extended; // null: by the classic interface alone
    private final PostingInterface posting;
    private final QueuePairType type;
    private final int operations;
    private final int byExtended; // operations that make a chain one for the extended interface

    private SendInterface(
            Verbs verbs,
            @Nullable ExtendedVerbs extended,
            PostingInterface posting,
            QueuePairType type,
            int operations) {
        this.verbs = verbs;
        this.extended = extended;
        this.posting = posting;
        this.type = type;
        this.operations = operations;
        byExtended = posting == PostingInterface.EXTENDED ? -1 : MemoryPlacement.WR_BITS;
    }

    /** Returns the interface {@code ibv_post_send(3)}. */
    static SendInterface classic(Verbs verbs, QueuePairType type) {
        return new SendInterface(verbs, null, PostingInterface.CLASSIC, type, type.operationBits());
    }

    /** Returns the interface that a queue pair was created for: {@code ibv_wr_post(3)} for all requests or some. */
    static SendInterface of(
            Verbs verbs, PostingInterface posting, QueuePairType type, PlacementOperations.Made<?> made) {
        return made.extended()
                ? new SendInterface(verbs, verbs.extended(), posting, type, made.operations())
                : classic(verbs, type);
    }

    PostingInterface posting() {
        return posting;
    }

    Set<WorkRequestOpcode> operations() {
        Set<WorkRequestOpcode> all = EnumSet.allOf(WorkRequestOpcode.class);
        all.removeIf(operation -> (operations & operation.bit()) == 0);
        return Collections.unmodifiableSet(all);
    }

    /**
     * Rejects a chain with an operation that the queue pair lacks.
     *
     * @param wanted bits of {@link WorkRequestOpcode#bit}
     */
    void requireAll(int wanted) {
        if ((wanted & ~operations) != 0) {
            type.requireAll(wanted);
            WorkRequestOpcode operation = WorkRequestOpcode.of(Integer.numberOfTrailingZeros(wanted & ~operations));
            throw new IllegalArgumentException(
                    posting == PostingInterface.CLASSIC
                            ? "ibv_post_send(3) has no " + operation + ": create the queue pair with"
                                    + " PostingInterface.BOTH or EXTENDED, on a device that has " + operation
                            : "this device or its provider has no " + operation
                                    + ": ask QueuePair.operations, and use a read after the writes instead");
        }
    }

    /** Posts a chain, see {@link QueuePair#post(SendChain)}. */
    int post(long queuePair, SendChain chain) {
        return extended == null || (chain.operations() & byExtended) == 0
                ? verbs.postSend(queuePair, chain.address(), chain.badWr())
                : extended.wrPost(queuePair, chain.address(), chain.badWr());
    }
}
