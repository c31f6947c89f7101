package io.rdma.samples.simulation.world;

import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Means by which one side of a connection authenticates itself, and the other. */
enum Credentials {
    /** No TLS. */
    NONE(null, null),
    /** Server with TLS that trusts the clients. */
    SERVER(Identity.SERVER, Identity.CLIENT),
    /** Client that the server trusts, and that trusts the server. */
    CLIENT(Identity.CLIENT, Identity.SERVER),
    /** Client that the server does not trust. */
    STRANGER(Identity.STRANGER, Identity.SERVER),
    /** Client that does not trust the server. */
    DOUBTING(Identity.CLIENT, Identity.STRANGER);

    private final @Nullable Identity own;
    private final @Nullable Identity trusted;

    Credentials(@Nullable Identity own, @Nullable Identity trusted) {
        this.own = own;
        this.trusted = trusted;
    }

    boolean hasTls() {
        return own != null;
    }

    /** Returns a context of TLS that no other run and no other host uses, null for no TLS. */
    @Nullable
    SSLContext context() {
        return own == null || trusted == null ? null : own.trusting(trusted);
    }
}
