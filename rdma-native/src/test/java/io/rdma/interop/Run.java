package io.rdma.interop;

import java.io.IOException;

/** One run against a program of rdma-core or perftest. */
interface Run {
    void run() throws IOException, InterruptedException;

    /**
     * Does a run, and prints a line that begins with "ok" or "FAILED".
     *
     * @param name text of the line
     * @return whether it passed
     */
    static boolean report(String name, Run run) {
        try {
            run.run();
            System.out.println("ok      " + name);
            return true;
        } catch (Throwable e) { // the remaining runs still take place
            System.out.println("FAILED  " + name);
            e.printStackTrace(System.out);
            return false;
        }
    }
}
