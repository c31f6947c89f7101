package io.rdma.connect;

/** Choice of the server for a new connection. Each respects the weights of the servers. */
public enum Balancing {
    /**
     * The server with the fewest connections of this pool in relation to its weight. Chooses at random among equals, so
     * that many clients with few connections do not all choose the first server of the list.
     */
    LEAST_CONNECTIONS,
    /**
     * One server after the other. In any row of as many choices as the sum of all weights, each server is chosen as
     * often as its weight says, and the choices of a server are spread over the row. Begins at a random server.
     */
    ROUND_ROBIN,
    /** A random server. Needs no knowledge of earlier choices; suits very many clients. */
    RANDOM
}
