package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Choices;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * How the hosts of a run connect.
 *
 * @param server its terms
 * @param clients terms of each client, by number
 */
public record Connecting(Terms server, List<Terms> clients) {
    /** Draws the terms of all hosts. In a third of the runs they are the usual ones. */
    static Connecting of(Choices choices, int clients) {
        if (choices.oneIn(3)) {
            return usual(clients);
        }
        Terms server = Terms.ofServer(choices);
        return new Connecting(
                server,
                Stream.generate(() -> Terms.ofClient(choices, server))
                        .limit(clients)
                        .toList());
    }

    /** Returns the usual terms for all. */
    static Connecting usual(int clients) {
        return new Connecting(Terms.USUAL, Collections.nCopies(clients, Terms.USUAL));
    }

    /** Returns whether the server admits a client. */
    boolean admits(int client) {
        return clients.get(client).refusedBy(server).isEmpty();
    }
}
