package io.rdma.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

// An instant with the time that it was open, not an event that lasts: which would have to begin before anybody records,
// and the first event makes the recorder initialise, a good part of the start-up.

/** The end of one connection, in a recording of the JDK's Flight Recorder. */
@Name("io.rdma.Connection")
@Label("RDMA Connection")
@Category("RDMA")
@Description("The end of a connection")
@StackTrace(false)
final class ConnectionEvent extends Event {
    @Label("Local Queue Pair")
    int queuePair;

    @Label("Open")
    @Description("From the first posted receive to the destroyed queue pair")
    @Timespan(Timespan.NANOSECONDS)
    long open;

    @Label("End")
    @Description("Why it ended")
    String end = "";

    @Label("Lost")
    @Description("Whether it ended by a failure")
    boolean lost;
}
