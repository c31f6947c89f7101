package io.rdma.internal.ffi.lib;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.UnionLayout;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Output of jextract for the headers. It is generated, compiled and loaded, and then gives the values of C expressions.
 */
final class Jextract {
    private static final String PACKAGE = "io.rdma.jextract";
    private static final Path SOURCES = Path.of("src", "test", "jextract").toAbsolutePath();
    /** The forms of {@link CAsserts}: offset, size of a structure, size of a member, size of a type, constant. */
    private static final Pattern ATOM = Pattern.compile("offsetof\\(struct (?<in>\\w+), (?<path>[\\w.]+)\\)"
            + "|sizeof\\(\\(\\(struct (?<of>\\w+) \\*\\)0\\)->(?<member>\\w+)\\)"
            + "|sizeof\\((?:struct )?(?<type>\\w+)\\)"
            + "|(?<constant>[A-Z]\\w+)");

    private final ClassLoader classes;

    private Jextract(ClassLoader classes) {
        this.classes = classes;
    }

    /**
     * Runs jextract, and compiles and loads its output.
     *
     * @param folder folder for the output
     * @throws AssertionError if there is no jextract, or if it or the compiler of its output fails
     */
    static Jextract run(String architecture, Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        // Only a file in its working directory can set the architecture.
        Path flags = SOURCES.resolve(architecture).resolve("compile_flags.txt");
        if (Files.exists(flags)) {
            Files.copy(flags, folder.resolve(flags.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        String output = execute(
                folder,
                program().toString(),
                "@" + SOURCES.resolve("arguments"),
                "--output",
                "sources",
                SOURCES.resolve("rdma.h").toString());
        assertThat(folder.resolve("sources")).as(output).isDirectory();
        List<String> compiler = new ArrayList<>(
                List.of("-nowarn", "-proc:none", "-d", folder.resolve("classes").toString()));
        try (Stream<Path> files = Files.walk(folder.resolve("sources"))) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(compiler::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, compiler.toArray(String[]::new)))
                .as("exit status of the compiler, of what jextract wrote to " + folder)
                .isZero();
        return new Jextract(
                new URLClassLoader(new URL[] {folder.resolve("classes").toUri().toURL()}));
    }

    private static String execute(Path folder, String... command) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES))
                    .as("jextract ends, it said " + output)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        return Files.readString(output);
    }

    private static Path program() {
        List<Path> candidates = new ArrayList<>();
        Stream.of(System.getProperty("io.rdma.jextract"))
                .filter(Objects::nonNull)
                .map(Path::of)
                .forEach(candidates::add);
        Stream.of(System.getenv("JEXTRACT_HOME"))
                .filter(Objects::nonNull)
                .map(home -> Path.of(home, "bin", "jextract"))
                .forEach(candidates::add);
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "jextract"))
                .forEach(candidates::add);
        return candidates.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no jextract here: unpack one of"
                        + " https://jdk.java.net/jextract/ and put its bin on the PATH, set JEXTRACT_HOME, or say"
                        + " -Dio.rdma.jextract=/…/bin/jextract"))
                .toAbsolutePath();
    }

    /**
     * Returns the value of an expression: an atom, or sums and differences of atoms, with casts to long around them.
     */
    long value(String expression) throws ReflectiveOperationException {
        StringBuilder numbers = new StringBuilder();
        Matcher atoms = ATOM.matcher(expression);
        while (atoms.find()) {
            atoms.appendReplacement(numbers, Long.toString(atom(atoms)));
        }
        atoms.appendTail(numbers);
        long sum = 0;
        for (String term : numbers.toString()
                .replaceAll("\\(long\\)|[ ()]", "")
                .replace("-", "\n-")
                .split("\n")) {
            sum += term.isEmpty() ? 0 : Long.parseLong(term);
        }
        return sum;
    }

    private long atom(Matcher atom) throws ReflectiveOperationException {
        if (atom.group("in") != null) {
            return offset(layout(atom.group("in")), atom.group("path"))
                    .orElseThrow(() -> new AssertionError("jextract has no " + atom.group()));
        }
        if (atom.group("of") != null) {
            return layout(atom.group("of"))
                    .select(MemoryLayout.PathElement.groupElement(atom.group("member")))
                    .byteSize();
        }
        if (atom.group("type") != null) {
            return layout(atom.group("type")).byteSize();
        }
        var constant = classes.loadClass(PACKAGE + ".Headers").getMethod(atom.group("constant"));
        constant.setAccessible(true); // declared by a superclass that is not public
        return ((Number) constant.invoke(null)).longValue();
    }

    private GroupLayout layout(String struct) throws ReflectiveOperationException {
        return (GroupLayout)
                classes.loadClass(PACKAGE + "." + struct).getMethod("layout").invoke(null);
    }

    /**
     * Returns the offset of a path of names. Members of nameless structures and unions are members of the enclosing
     * type.
     */
    private static OptionalLong offset(GroupLayout in, String path) {
        String first = path.split("\\.")[0];
        long at = 0;
        for (MemoryLayout member : in.memberLayouts()) {
            String name = member.name().orElse("");
            OptionalLong inside = OptionalLong.empty();
            if (name.equals(path)) {
                inside = OptionalLong.of(0);
            } else if (member instanceof GroupLayout group) {
                if (name.equals(first)) {
                    inside = offset(group, path.substring(first.length() + 1));
                } else if (name.startsWith("$anon")) {
                    inside = offset(group, path);
                }
            }
            if (inside.isPresent()) {
                return OptionalLong.of(at + inside.getAsLong());
            }
            at += in instanceof UnionLayout ? 0 : member.byteSize();
        }
        return OptionalLong.empty();
    }
}
