package io.rdma.samples.simulation.world;

import java.util.function.Consumer;

/**
 * Complaints of a model about one structure.
 *
 * @param name of the structure, with which each complaint begins
 * @param wrong takes what is wrong
 */
record Complaints(String name, Consumer<String> wrong) {
    void check(boolean holds, String otherwise) {
        if (!holds) {
            wrong.accept(name + ": " + otherwise);
        }
    }
}
