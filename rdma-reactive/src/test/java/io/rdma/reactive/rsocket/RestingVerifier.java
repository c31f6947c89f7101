package io.rdma.reactive.rsocket;

import static net.bytebuddy.matcher.ElementMatchers.is;
import static net.bytebuddy.matcher.ElementMatchers.named;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;

/**
 * A change of reactor-test's StepVerifier. It waits for the end of a stream in steps of 10 ns (reactor-core, issue
 * 4054), and so keeps a processor busy that the stream needs. With steps of a millisecond the tests with the most
 * frames take 91 s instead of 492 s on two processors.
 */
public final class RestingVerifier {
    private RestingVerifier() {}

    /** Waits as the verifier's call does, but for a millisecond at least. Called by the changed verifier. */
    public static boolean await(CountDownLatch end, long time, TimeUnit unit) throws InterruptedException {
        return end.await(Math.max(unit.toNanos(time), 1_000_000), TimeUnit.NANOSECONDS);
    }

    /** Changes the verifier in this JVM. */
    static void install() {
        try {
            ByteBuddyAgent.install();
            Class<?> verifier = Class.forName("reactor.test.DefaultStepVerifierBuilder$DefaultVerifySubscriber");
            new ByteBuddy()
                    .redefine(verifier)
                    .visit(MemberSubstitution.relaxed()
                            .method(is(CountDownLatch.class.getMethod("await", long.class, TimeUnit.class)))
                            .replaceWith(RestingVerifier.class.getMethod(
                                    "await", CountDownLatch.class, long.class, TimeUnit.class))
                            .on(named("pollTaskEventOrComplete")))
                    .make()
                    .load(verifier.getClassLoader(), ClassReloadingStrategy.fromInstalledAgent());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(
                    "reactor-test has changed: check whether its verifier still waits in steps of 10 ns", e);
        }
    }
}
