package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Bounds;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.testing.seam.SeamCall;
import io.rdma.testing.seam.SeamFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Fault at one call of the seam of a host.
 *
 * @param host 0 for the server, 1 and on for the clients
 * @param call interface and method
 * @param number number of the call among those of the method, from 1
 * @param kind how it goes wrong
 */
public record HostFault(int host, String call, int number, SeamFault.Kind kind) {
    private static final int MOST = 3;

    /** Most calls of a method of the control path that are drawn. */
    private static final int CONTROL_CALLS = 6;

    /** Most calls of a method of the data path that are drawn, as a power of two. */
    private static final int DATA_CALLS = 9;

    /** Methods that the programs of a run call. */
    private static final List<String> METHODS = Stream.of(
                    "getDeviceList",
                    "openDevice",
                    "closeDevice",
                    "queryDevice",
                    "queryPort",
                    "queryGidTable",
                    "allocPd",
                    "deallocPd",
                    "regMr",
                    "deregMr",
                    "createCompChannel",
                    "destroyCompChannel",
                    "createCq",
                    "destroyCq",
                    "createQp",
                    "modifyQp",
                    "destroyQp",
                    "postSend",
                    "postRecv",
                    "pollCq",
                    "reqNotifyCq",
                    "pollCompChannel",
                    "wakeCompChannel",
                    "getCqEvent",
                    "ackCqEvents",
                    "pollAsyncEvents",
                    "wakeAsyncEvents",
                    "getAsyncEvent",
                    "ExtendedVerbs.createQpEx")
            .map(method -> method.contains(".") ? method : "Verbs." + method)
            .toList();

    public HostFault {
        Bounds.atLeast(0, host, "host");
        Bounds.atLeast(1, number, "number");
        SeamCall known = SeamCall.named(call);
        if (known == null || !kinds(known).contains(kind)) {
            throw new IllegalArgumentException(call + " has no fault " + kind);
        }
    }

    private static List<SeamFault.Kind> kinds(SeamCall call) {
        List<SeamFault.Kind> kinds = new ArrayList<>(call.kinds());
        if (call.negative()) {
            kinds.add(SeamFault.Kind.OVERRUN);
        }
        return kinds;
    }

    SeamFault fault() {
        return new SeamFault(call, number, kind);
    }

    /** Draws faults for about a third of the runs. */
    static List<HostFault> draw(Choices choices, int hosts) {
        List<HostFault> faults = new ArrayList<>();
        for (int i = choices.oneIn(3) ? 1 + choices.below(MOST) : 0; i > 0; i--) {
            HostFault fault = of(METHODS.get(choices.below(METHODS.size())), choices);
            add(fault.on(choices.below(hosts)), faults);
        }
        return faults;
    }

    /** Draws a fault of a call of the server. */
    static HostFault of(String name, Choices choices) {
        SeamCall call = Objects.requireNonNull(SeamCall.named(name));
        List<SeamFault.Kind> kinds = kinds(call);
        int most = call.negative() ? 1 << choices.below(1 + DATA_CALLS) : 1 + choices.below(CONTROL_CALLS);
        int number = 1 + choices.below(most);
        return new HostFault(0, name, number, kinds.get(choices.below(kinds.size())));
    }

    HostFault on(int other) {
        return new HostFault(other, call, number, kind);
    }

    /** Adds a fault, unless there is one of that call: what failed once may be tried again, once. */
    static void add(HostFault fault, List<HostFault> to) {
        if (to.stream().noneMatch(fault::hitsCallOf)) {
            to.add(fault);
        }
    }

    private boolean hitsCallOf(HostFault other) {
        return host == other.host && call.equals(other.call);
    }

    @Override
    public String toString() {
        return (host == 0 ? "server" : "client " + (host - 1)) + ": " + fault();
    }
}
