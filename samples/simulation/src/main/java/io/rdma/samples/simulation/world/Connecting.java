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
 * @param intruder whether a host without a token tries to connect by RDMA CM, too
 */
public record Connecting(Terms server, List<Terms> clients, boolean intruder) {
    /** Draws the terms of all hosts. In a third of the runs they are the usual ones. */
    static Connecting of(Choices choices, int clients) {
        if (choices.oneIn(3)) {
            return usual(clients);
        }
        Terms server = Terms.ofServer(choices);
        List<Terms> terms = Stream.generate(() -> Terms.ofClient(choices, server))
                .limit(clients)
                .toList();
        return new Connecting(server, terms, server.hasBoth() && choices.oneIn(2));
    }

    /** Returns the usual terms for all. */
    static Connecting usual(int clients) {
        return new Connecting(Terms.USUAL, Collections.nCopies(clients, Terms.USUAL), false);
    }

    /** Returns the same with send buffers of all clients that have room for a request of so many bytes. */
    Connecting withRoomFor(int bytes) {
        return new Connecting(
                server, clients.stream().map(terms -> terms.withRoomFor(bytes)).toList(), intruder);
    }

    /** Returns whether the server admits a client. */
    boolean admits(int client) {
        return clients.get(client).refusedBy(server).isEmpty();
    }
}
