package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.network.Weather;
import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.samples.simulation.schedule.Simulation.Pauses;
import java.util.ArrayList;
import java.util.List;

/** Plans that are drawn from a seed. */
final class DrawnPlan {
    private static final int MOST_CLIENTS = 3;
    static final int MOST_MESSAGES = 30;
    private static final int LONGEST_MESSAGE = 2000;
    private static final int MOST_FAULTS = 3;
    private static final int MOST_RETRIES = 3;
    private static final Weather BAD = new Weather(1_000, 200_000, 20, 20, 10);

    private DrawnPlan() {}

    /** Returns the plan of a seed. */
    static Plan of(long seed) {
        Choices choices = new Choices(seed);
        Choices habits = choices.split();
        List<Plan.Client> clients = new ArrayList<>();
        for (int i = 1 + choices.below(MOST_CLIENTS); i > 0; i--) {
            clients.add(new Plan.Client(
                    1 + choices.below(MOST_MESSAGES),
                    choices.below(MOST_MESSAGES),
                    1 + choices.below(LONGEST_MESSAGE),
                    choices.oneIn(2),
                    choices.oneIn(2),
                    reception(habits),
                    MemoryPlan.of(habits),
                    habits.oneIn(4) ? 1 + habits.below(MOST_RETRIES) : 0,
                    Trouble.of(habits),
                    frontEnd(habits),
                    habits.oneIn(2)));
        }
        List<Plan.Fault> faults = new ArrayList<>();
        for (int i = choices.below(MOST_FAULTS + 1); i > 0; i--) {
            faults.add(Plan.Fault.at(
                    Plan.FaultKind.values()[choices.below(Plan.FaultKind.values().length)],
                    choices.below(Plan.LAST_FAULT),
                    choices.below(clients.size() + 1),
                    1 + choices.below(choices.oneIn(3) ? 20_000_000_000L : 50_000_000L)));
        }
        Weather weather = choices.oneIn(3) ? BAD : Weather.FINE;
        Pauses pauses = choices.oneIn(4) ? Pauses.NONE : Pauses.USUAL;
        Link.Reception reception = reception(habits);
        Connecting connecting = Connecting.of(choices.split(), clients.size());
        FrontEnd.Kind frontEnd = frontEnd(habits);
        List<DatagramPlan> datagrams = DatagramPlan.draw(choices.split(), clients.size());
        List<HostFault> hostFaults = HostFault.draw(choices.split(), 1 + clients.size());
        hostFaults.addAll(new RareCalls(clients, connecting, datagrams).draw(choices.split()));
        Choices ofStructures = choices.split();
        StructurePlan structures = StructurePlan.draw(ofStructures);
        if (!ofStructures.oneIn(8)) { // else some clients are refused
            connecting = connecting.withRoomFor(structures.largestRequest());
        }
        return new Plan(
                seed,
                clients,
                structures.needsLosses() ? BAD : weather,
                faults,
                pauses,
                reception,
                connecting,
                frontEnd,
                datagrams,
                hostFaults,
                structures);
    }

    private static Link.Reception reception(Choices choices) {
        return new Link.Reception(choices.oneIn(3), choices.oneIn(2) ? 0 : 1 + choices.below(4));
    }

    static FrontEnd.Kind frontEnd(Choices choices) {
        FrontEnd.Kind[] kinds = FrontEnd.Kind.values();
        return choices.oneIn(2) ? FrontEnd.Kind.REACTOR : kinds[choices.below(kinds.length)];
    }
}
