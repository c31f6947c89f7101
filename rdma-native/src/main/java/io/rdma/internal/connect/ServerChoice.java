package io.rdma.internal.connect;

import io.rdma.connect.Balancing;
import java.util.List;
import java.util.random.RandomGenerator;

/** Choice of one server among the available ones, by each kind of {@link Balancing}. Changes nothing but credits. */
final class ServerChoice {
    private ServerChoice() {}

    /**
     * Chooses a server.
     *
     * @param servers at least one
     */
    static ServerLoad of(Balancing balancing, List<ServerLoad> servers, RandomGenerator random) {
        return switch (balancing) {
            case LEAST_CONNECTIONS -> least(servers, random);
            case ROUND_ROBIN -> next(servers);
            case RANDOM -> any(servers, random);
        };
    }

    static int totalWeight(List<ServerLoad> servers) {
        return servers.stream().mapToInt(server -> server.weight).sum();
    }

    private static ServerLoad least(List<ServerLoad> servers, RandomGenerator random) {
        ServerLoad least = servers.getFirst();
        for (ServerLoad server : servers) {
            if (server.isLessLoadedThan(least)) {
                least = server;
            }
        }
        ServerLoad one = least;
        List<ServerLoad> equals =
                servers.stream().filter(server -> server.isAsLoadedAs(one)).toList();
        return any(equals, random);
    }

    /**
     * Chooses by the smooth weighted round robin: every server gains its weight, and the richest pays the sum of all.
     * The sum of the credits stays zero, and after as many choices as the sum of the weights every credit is as before.
     */
    static ServerLoad next(List<ServerLoad> servers) {
        ServerLoad richest = servers.getFirst();
        for (ServerLoad server : servers) {
            server.credit += server.weight;
            if (server.credit > richest.credit) {
                richest = server;
            }
        }
        richest.credit -= totalWeight(servers);
        return richest;
    }

    private static ServerLoad any(List<ServerLoad> servers, RandomGenerator random) {
        int left = random.nextInt(totalWeight(servers));
        for (ServerLoad server : servers) {
            left -= server.weight;
            if (left < 0) {
                return server;
            }
        }
        throw new AssertionError("the weights exceed their sum");
    }
}
