package io.rdma.samples.bench.many;

import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.samples.bench.engine.Window;
import java.util.List;

/** A window of writes, some on each endpoint. An operation is submitted again when it has ended. */
final class Writes extends Window {
    private final List<Endpoint> endpoints;
    private final Write[] writes;
    private final int inFlight;

    /**
     * Creates the window.
     *
     * @param requests one for each endpoint
     * @param inFlight number of writes in flight on each endpoint
     * @param operations total number
     */
    Writes(List<Endpoint> endpoints, List<WorkRequest> requests, int inFlight, int operations) {
        super(endpoints.size() * inFlight, operations, () -> {});
        this.endpoints = endpoints;
        this.inFlight = inFlight;
        writes = new Write[endpoints.size() * inFlight];
        for (int place = 0; place < writes.length; place++) {
            writes[place] = new Write(requests.get(place / inFlight), this, place);
        }
    }

    @Override
    protected void start(int place) {
        endpoints.get(place / inFlight).submit(writes[place]);
    }

    private static final class Write extends Operation {
        private final Window window;
        private final int place;

        Write(WorkRequest request, Window window, int place) {
            super(request);
            this.window = window;
            this.place = place;
        }

        @Override
        protected void completed(long value) {
            window.completed(place);
        }

        @Override
        protected void failed(RuntimeException error) {
            window.failed(error);
        }
    }
}
