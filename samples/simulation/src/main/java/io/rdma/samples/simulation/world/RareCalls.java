package io.rdma.samples.simulation.world;

import io.rdma.connect.ConnectMethod;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.testing.seam.SeamFault;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Calls of the seam that only some hosts make: those of RDMA CM, datagrams, shared receives and memory windows. Their
 * faults, and those of memory that cannot be registered, are drawn apart from the others.
 *
 * @param clients of the run
 * @param connecting how the hosts connect
 * @param datagrams sockets for datagrams
 */
record RareCalls(List<Plan.Client> clients, Connecting connecting, List<DatagramPlan> datagrams) {
    private static final int MOST = 2;

    /** Registrations before the first that fails, as a power of two. */
    private static final int REGISTRATIONS = 6;

    /** Most registrations that fail one after the other. */
    private static final int MOST_REFUSED = 4;

    private static final List<String> CONNECTION_MANAGER = of(
            "Rdmacm",
            "createEventChannel",
            "destroyEventChannel",
            "pollEventChannel",
            "wakeEventChannel",
            "getCmEvent",
            "createId",
            "destroyId",
            "queryId",
            "bindAddr",
            "resolveAddr",
            "resolveRoute",
            "listen",
            "connect",
            "accept",
            "reject",
            "disconnect",
            "establish",
            "initQpAttr");
    private static final List<String> DATAGRAMS = Stream.concat(
                    of("DatagramVerbs", "createAh", "destroyAh", "attachMcast", "detachMcast").stream(),
                    of("Rdmacm", "joinMulticast", "leaveMulticast").stream())
            .toList();
    private static final List<String> SHARED_RECEIVES =
            of("Verbs", "createSrq", "destroySrq", "postSrqRecv", "queryQp");
    private static final List<String> WINDOWS = of("MemoryWindowVerbs", "allocMw", "deallocMw", "setMwRkey");

    private static List<String> of(String type, String... methods) {
        return Stream.of(methods).map((type + ".")::concat).toList();
    }

    /** Returns the rare calls that a host makes. */
    private List<String> of(int host) {
        Terms terms = host == 0 ? connecting.server() : connecting.clients().get(host - 1);
        boolean sends = datagrams.stream().anyMatch(socket -> socket.host() == host);
        List<String> calls = new ArrayList<>();
        if (sends || terms.method() == ConnectMethod.RDMA_CM) {
            calls.addAll(CONNECTION_MANAGER);
        }
        if (sends) {
            calls.addAll(DATAGRAMS);
        }
        if (terms.queues().shared() > 0) {
            calls.addAll(SHARED_RECEIVES);
        }
        if (host == 0 && clients.stream().anyMatch(client -> client.memory().binds())) {
            calls.addAll(WINDOWS);
        }
        return calls;
    }

    /** Draws faults of rare calls in a quarter of the runs that make any, and of registrations in an eighth. */
    List<HostFault> draw(Choices choices) {
        List<HostFault> faults = new ArrayList<>();
        int hosts = 1 + clients.size();
        for (int i = choices.oneIn(4) ? 1 + choices.below(MOST) : 0; i > 0; i--) {
            int host = choices.below(hosts);
            List<String> calls = of(host);
            if (!calls.isEmpty()) {
                String call = calls.get(choices.below(calls.size()));
                HostFault.add(HostFault.of(call, choices).on(host), faults);
            }
        }
        if (choices.oneIn(8)) {
            int host = choices.below(hosts);
            int first = 1 + choices.below(1 << choices.below(1 + REGISTRATIONS));
            IntStream.range(first, first + 1 + choices.below(MOST_REFUSED))
                    .mapToObj(number -> new HostFault(host, "Verbs.regMr", number, SeamFault.Kind.ERRNO))
                    .forEach(faults::add);
        }
        return faults;
    }
}
