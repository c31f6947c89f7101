package io.rdma.internal.soft.objects;

import org.jspecify.annotations.Nullable;

/**
 * A protection domain: memory and queue pairs must share one. A parent domain stands for another; the objects of both
 * can be used together.
 */
public final class SoftPd extends SoftObject {
    public final SoftContext context;
    private final @Nullable SoftPd standsFor;
    private final @Nullable SoftTd threads;

    public SoftPd(SoftContext context, @Nullable SoftPd standsFor) {
        this(context, standsFor, null);
    }

    public SoftPd(SoftContext context, @Nullable SoftPd standsFor, @Nullable SoftTd threads) {
        this.context = context;
        this.standsFor = standsFor;
        this.threads = threads;
    }

    @Override
    public String struct() {
        return "ibv_pd";
    }

    /** Returns the domain that comparisons use. */
    SoftPd root() {
        SoftPd other = standsFor;
        return other == null ? this : other.root();
    }

    public boolean matches(SoftPd other) {
        return this == other || root() == other.root();
    }

    /** Releases its uses of other objects when it is freed. */
    public void freed() {
        context.users--;
        if (standsFor != null) {
            standsFor.users--;
        }
        if (threads != null) {
            threads.users--;
        }
    }
}
