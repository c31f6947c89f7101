package io.rdma.interop;

import static io.rdma.interop.Side.DEPTH;

import io.rdma.types.WorkRequestOpcode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Test of a stream of RDMA writes and a TCP stream that run from one process to another at the same time over the same
 * link. It prints the throughput of each:
 *
 * <pre>
 * SharedLink PORT SECONDS [HOST]
 * </pre>
 *
 * <p>Without HOST the process is the server, which receives both streams.
 */
final class SharedLink {
    private static final int BYTES = 16 << 10;

    private SharedLink() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        Duration time = Duration.ofSeconds(Integer.parseInt(args[1]));
        if (args.length > 2) {
            try (Socket control = new Socket(args[2], port);
                    Socket data = new Socket(args[2], port);
                    Side side = new Side("soft0", control, BYTES)) {
                send(side, data, time);
            }
            return;
        }
        try (ServerSocket listener = new ServerSocket(port);
                Socket control = listener.accept();
                Socket data = listener.accept();
                Side side = new Side("soft0", control, BYTES)) {
            Thread reader = Thread.ofPlatform().start(() -> drain(data));
            side.meet();
            reader.join();
        }
    }

    private static void drain(Socket data) {
        try (InputStream in = data.getInputStream()) {
            byte[] buffer = new byte[BYTES];
            while (in.read(buffer) >= 0) {
                // only the number of bytes counts, and the sender knows it
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void send(Side side, Socket data, Duration time) throws Exception {
        AtomicLong tcp = new AtomicLong();
        Thread writer = Thread.ofPlatform().start(() -> {
            try (OutputStream out = data.getOutputStream()) {
                byte[] buffer = new byte[BYTES];
                while (!Thread.interrupted()) {
                    out.write(buffer);
                    tcp.addAndGet(BYTES);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        long start = System.nanoTime();
        long end = start + time.toNanos();
        long rdma = 0;
        for (int posted = 0; posted < DEPTH; posted++) {
            write(side);
        }
        long tcpAtTheEnd;
        while (System.nanoTime() - end < 0) {
            side.await();
            rdma += BYTES;
            write(side);
        }
        tcpAtTheEnd = tcp.get();
        double seconds = (System.nanoTime() - start) / 1e9;
        writer.interrupt();
        for (int left = 0; left < DEPTH; left++) {
            side.await();
        }
        writer.join();
        side.meet();
        System.out.printf(
                "RDMA %.2f Mbit/s, TCP %.2f Mbit/s, in %.0f s%n",
                rdma * 8 / 1e6 / seconds, tcpAtTheEnd * 8 / 1e6 / seconds, seconds);
    }

    private static void write(Side side) {
        side.sends
                .add(1, WorkRequestOpcode.RDMA_WRITE)
                .entry(side.address(0), BYTES, side.region.lkey())
                .remote(side.remote.address(), side.remote.rkey())
                .signaled();
        side.post(side.sends);
    }
}
