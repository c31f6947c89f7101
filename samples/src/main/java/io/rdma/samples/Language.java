package io.rdma.samples;

/** Which front-end a sample uses. */
public enum Language {
    /** Java, with Reactor. */
    java,
    /** Kotlin, with coroutines. */
    kotlin
}
