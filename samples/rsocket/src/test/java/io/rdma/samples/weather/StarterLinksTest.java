package io.rdma.samples.weather;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ReflectionUtils;

/**
 * Methods of Spring that the starter calls. The starter is compiled against a newer Spring Boot than an RSocket
 * application has. A method that the older one lacks, or keeps to itself, would fail when it is called first (Java
 * Language Specification, 13.4.7 and 13.4.12).
 */
class StarterLinksTest {
    /** Call of a method or of a constructor, from a class of the starter. */
    private record Call(String owner, String name, String descriptor) {}

    @Test
    void theOldestSpringBootHasEveryMethodThatTheStarterCalls() throws IOException {
        Set<Call> calls = calls();
        assertThat(calls).hasSizeGreaterThan(40); // otherwise the classes were not found
        assertThat(calls).allMatch(StarterLinksTest::isLinked);
    }

    private static Set<Call> calls() throws IOException {
        Set<Call> calls = new HashSet<>();
        for (Resource type :
                new PathMatchingResourcePatternResolver().getResources("classpath*:io/rdma/spring/boot/**/*.class")) {
            try (InputStream bytes = type.getInputStream()) {
                new ClassReader(bytes).accept(new Calls(calls), ClassReader.SKIP_DEBUG);
            }
        }
        return calls;
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

    /** Returns whether a call finds its method. The class may be of a part that this application does not have. */
    private static boolean isLinked(Call call) {
        Class<?> owner;
        try {
            owner = Class.forName(call.owner(), false, StarterLinksTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return true;
        }
        return call.name().equals("<init>")
                ? Stream.of(owner.getDeclaredConstructors())
                        .anyMatch(one -> isAccessible(one)
                                && Type.getConstructorDescriptor(one).equals(call.descriptor()))
                // Inherited methods of interfaces are in the first array only, protected ones in the second.
                : Stream.of(owner.getMethods(), ReflectionUtils.getAllDeclaredMethods(owner))
                        .flatMap(Stream::of)
                        .anyMatch(one -> isAccessible(one)
                                && one.getName().equals(call.name())
                                && Type.getMethodDescriptor(one).equals(call.descriptor()));
    }

    private static boolean isAccessible(Member member) {
        return (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }
}
