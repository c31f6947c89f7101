package io.rdma.reactive;

import java.lang.System.Logger;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** Runner of the hooks of an end, whose failure has no receiver and is logged. */
final class EndHooks {
    private EndHooks() {}

    /**
     * Runs a hook when an object has ended, with that object. The hook has a thread of its own, because it may block,
     * and others wait for the end, too.
     */
    static <T> void after(Mono<Void> end, Consumer<? super T> hook, T ended) {
        end.doFinally(signal -> Thread.ofVirtual().name("rdma-hook").start(() -> run(hook, ended)))
                .subscribe(nothing -> {}, error -> {});
    }

    private static <T> void run(Consumer<? super T> hook, T ended) {
        try {
            hook.accept(ended);
        } catch (Throwable e) { // application code
            Logger log = System.getLogger(EndHooks.class.getName());
            log.log(Logger.Level.WARNING, "a hook for the end of " + ended + " failed: " + e);
            log.log(Logger.Level.DEBUG, "details", e);
        }
    }
}
