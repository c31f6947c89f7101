package io.rdma.samples.weather;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.spring.boot.RdmaProperties;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Methods of Spring that the starter calls. The starter is compiled against a newer Spring Boot than an RSocket
 * application has. A method that the older one lacks, or keeps to itself, would fail when it is called first (Java
 * Language Specification, 13.4.7 and 13.4.12).
 */
class StarterLinksTest {
    /** Call of a method or of a constructor, from a class of the starter. */
    private record Call(String owner, String name, String descriptor) {}

    @Test
    void theOldestSpringBootHasEveryMethodThatTheStarterCalls() throws Exception {
        Set<Call> calls = calls();
        assertThat(calls).hasSizeGreaterThan(40); // otherwise the classes were not found
        assertThat(calls.stream().map(StarterLinksTest::problem).filter(problem -> problem != null))
                .isEmpty();
    }

    private static Set<Call> calls() throws Exception {
        Set<Call> calls = new TreeSet<>((one, other) -> one.toString().compareTo(other.toString()));
        Path starter = Path.of(RdmaProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        if (Files.isDirectory(starter)) {
            collect(starter, calls);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + starter.toUri()), Map.of())) {
                collect(jar.getPath("/"), calls);
            }
        }
        return calls;
    }

    private static void collect(Path root, Set<Call> calls) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".class")
                            && !file.getFileName().toString().equals("module-info.class"))
                    .toList()) {
                try (InputStream bytes = Files.newInputStream(file)) {
                    new ClassReader(bytes).accept(new Calls(calls), ClassReader.SKIP_DEBUG);
                }
            }
        }
    }

    /** Collects the calls of Spring's methods in a class. */
    private static final class Calls extends ClassVisitor {
        private final Set<Call> calls;

        Calls(Set<Call> calls) {
            super(SpringAsmInfo.ASM_VERSION);
            this.calls = calls;
        }

        @Override
        public MethodVisitor visitMethod(
                int access,
                String method,
                String methodDescriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {
                @Override
                public void visitMethodInsn(
                        int opcode, String owner, String name, String descriptor, boolean isInterface) {
                    add(owner, name, descriptor);
                }

                @Override
                public void visitInvokeDynamicInsn(
                        String name, String descriptor, Handle bootstrap, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle) { // reference to a method
                            add(handle.getOwner(), handle.getName(), handle.getDesc());
                        }
                    }
                }
            };
        }

        private void add(String owner, String name, String descriptor) {
            if (owner.startsWith("org/springframework/")) {
                calls.add(new Call(owner.replace('/', '.'), name, descriptor));
            }
        }
    }

    /** Returns what is wrong with a call, or null. The class may be of a part that this application does not have. */
    private static @Nullable String problem(Call call) {
        Class<?> owner;
        try {
            owner = Class.forName(call.owner(), false, StarterLinksTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return null;
        }
        List<Executable> all = new ArrayList<>();
        collect(owner, all);
        List<Executable> same = all.stream()
                .filter(executable -> call.name().equals(nameOf(executable))
                        && call.descriptor().equals(descriptorOf(executable)))
                .toList();
        if (same.isEmpty()) {
            return "there is no " + call;
        }
        return same.stream().anyMatch(StarterLinksTest::isAccessible) ? null : "not accessible: " + call;
    }

    private static void collect(@Nullable Class<?> type, List<Executable> all) {
        if (type != null) {
            all.addAll(List.of(type.getDeclaredMethods()));
            all.addAll(List.of(type.getDeclaredConstructors()));
            collect(type.getSuperclass(), all);
            for (Class<?> parent : type.getInterfaces()) {
                collect(parent, all);
            }
        }
    }

    private static boolean isAccessible(Member member) {
        return (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    private static String nameOf(Executable executable) {
        return executable instanceof Constructor<?> ? "<init>" : executable.getName();
    }

    private static String descriptorOf(Executable executable) {
        return executable instanceof Method method
                ? Type.getMethodDescriptor(method)
                : Type.getConstructorDescriptor((Constructor<?>) executable);
    }
}
