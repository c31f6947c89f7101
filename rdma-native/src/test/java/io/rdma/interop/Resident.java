package io.rdma.interop;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * JVM that runs many programs one after the other, for {@code .ci/vm/resident}. Under emulation the start of a JVM
 * takes longer than most programs run:
 *
 * <pre>
 * Resident REQUESTS
 * </pre>
 *
 * <p>REQUESTS is a pipe. Each line of it is a folder with a request. The file {@code command} contains the name of a
 * class and its arguments, one per line. {@code out} is a pipe for the output of the program. {@code status} receives
 * its exit status. A program is a method {@code run}, which returns the exit status, or {@code main}.
 */
final class Resident {
    /**
     * Output of the running program. Loggers keep the stream that they found first, so the standard streams never
     * change and write here.
     */
    private static volatile OutputStream out = new FileOutputStream(FileDescriptor.err);

    private Resident() {}

    public static void main(String[] args) throws IOException {
        PrintStream stream = new PrintStream(new CurrentOutputStream(), true, StandardCharsets.UTF_8);
        System.setOut(stream);
        System.setErr(stream);
        Path requests = Path.of(args[0]);
        while (true) {
            // Each client opens the pipe, writes a line and closes it.
            try (BufferedReader lines = Files.newBufferedReader(requests)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    serve(Path.of(line));
                }
            }
        }
    }

    private static void serve(Path request) throws IOException {
        OutputStream before = out;
        try (OutputStream pipe = new FileOutputStream(request.resolve("out").toFile())) {
            out = pipe;
            List<String> command = Files.readAllLines(request.resolve("command"));
            int status =
                    run(command.getFirst(), command.subList(1, command.size()).toArray(String[]::new));
            System.out.flush();
            Files.writeString(request.resolve("status"), status + "\n");
        } finally {
            out = before;
        }
    }

    private static int run(String name, String[] arguments) {
        try {
            Method program = program(Class.forName(name));
            program.setAccessible(true);
            return program.invoke(null, (Object) arguments) instanceof Integer status ? status : 0;
        } catch (InvocationTargetException thrown) {
            thrown.getCause().printStackTrace();
            return 1;
        } catch (ReflectiveOperationException wrong) {
            wrong.printStackTrace();
            return 1;
        }
    }

    private static Method program(Class<?> type) throws NoSuchMethodException {
        try {
            return type.getDeclaredMethod("run", String[].class);
        } catch (NoSuchMethodException hasOnlyMain) {
            return type.getDeclaredMethod("main", String[].class);
        }
    }

    private static final class CurrentOutputStream extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }
    }
}
