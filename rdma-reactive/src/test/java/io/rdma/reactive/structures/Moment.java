package io.rdma.reactive.structures;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Moment of an operation at which a process dies. Each participant has a moment, and a counter, record, bucket, lock or
 * ring of its own.
 *
 * @param operation operation that does not come to its end
 * @param place number of this moment among those of the operation, from 0
 * @param posted number of requests that the device got long before
 * @param isInFlight whether the device has just got one more request
 */
record Moment(DoomedOperation operation, int place, int posted, boolean isInFlight) {
    /** Whether the operation has happened. Its last request alone makes it happen. */
    enum Effect {
        NONE,
        POSSIBLE,
        CERTAIN
    }

    /** Returns all moments: before each request, while it is in flight, and behind the last one. */
    static List<Moment> all() {
        List<Moment> all = new ArrayList<>();
        for (DoomedOperation operation : DoomedOperation.values()) {
            int place = 0;
            for (int posted = 0; posted < operation.requests().size(); posted++) {
                all.add(new Moment(operation, place++, posted, false));
                all.add(new Moment(operation, place++, posted, true));
            }
            all.add(new Moment(operation, place, operation.requests().size(), false));
        }
        return all;
    }

    static List<Moment> of(DoomedOperation... operations) {
        return all().stream()
                .filter(moment -> Arrays.asList(operations).contains(moment.operation))
                .toList();
    }

    Effect effect() {
        int requests = operation.requests().size();
        if (posted == requests) {
            return Effect.CERTAIN;
        }
        return isInFlight && posted == requests - 1 ? Effect.POSSIBLE : Effect.NONE;
    }
}
