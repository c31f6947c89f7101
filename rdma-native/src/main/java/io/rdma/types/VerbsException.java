package io.rdma.types;

import org.jspecify.annotations.Nullable;

/** The failure of a verbs call: the C name of the call, the errno and, if one is known, the remedy. */
public class VerbsException extends RdmaException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int errno;

    /**
     * Creates the exception of a failed call.
     *
     * @param call C name, such as {@code ibv_create_qp}
     * @param errno positive errno
     * @param remedy a sentence that says what to do, or null
     */
    public VerbsException(String call, int errno, @Nullable String remedy) {
        super(call + " failed: " + Errno.describe(errno) + (remedy == null ? "" : ". " + remedy));
        this.call = call;
        this.errno = errno;
    }

    /**
     * Returns the C name of the call that failed.
     *
     * @return such as {@code ibv_create_qp}
     */
    public String call() {
        return call;
    }

    /**
     * Returns the error number of Linux, {@code errno(3)}.
     *
     * @return positive
     */
    public int errno() {
        return errno;
    }
}
