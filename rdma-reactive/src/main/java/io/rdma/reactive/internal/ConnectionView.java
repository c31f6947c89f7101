package io.rdma.reactive.internal;

import io.rdma.reactive.RdmaConnection;

/** View that stands for a connection and adds something to its operations. */
public interface ConnectionView {
    /**
     * Returns the connection that the view stands for.
     *
     * @return perhaps a view itself
     */
    RdmaConnection connection();

    /**
     * Returns the connection below all views.
     *
     * @param connection connection or view
     * @return the connection, or the innermost object that is not such a view
     */
    static RdmaConnection innermost(RdmaConnection connection) {
        RdmaConnection inner = connection;
        while (inner instanceof ConnectionView view) {
            inner = view.connection();
        }
        return inner;
    }
}
