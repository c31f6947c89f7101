package io.rdma.internal.engine;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

// An instant event with the open time as a field, not an event with a duration. An event with a duration would have to
// begin before a recording runs, and the first event initialises the recorder, which is a good part of the start-up.

/** The end of one connection, as an event of the JDK's Flight Recorder. */
@Name("io.rdma.Connection")
@Label("RDMA Connection")
@Category("RDMA")
@Description("The end of a connection")
@StackTrace(false)
final class ConnectionEvent extends Event {
    @Label("Local Queue Pair")
    int queuePair;

    @Label("Time Open")
    @Description("From the first posted receive to the destroyed queue pair")
    @Timespan(Timespan.NANOSECONDS)
    long open;

    @Label("Reason")
    @Description("Why the connection ended")
    String end = "";

    @Label("Lost Messages")
    @Description("Messages of the peer that were lost on an unreliable connection")
    long lostMessages;

    @Label("Lost")
    @Description("Whether the connection ended by a failure")
    boolean lost;
}
