package io.rdma.coroutines

import io.rdma.internal.engine.EventBuffer
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.nio.file.Path
import kotlin.io.path.readText

/** Bound of the events that wait, where its documentation cannot take the number from the engine: KDoc and Markdown. */
class EventsDocumentationTest {
    @ParameterizedTest
    @ValueSource(strings = ["src/main/kotlin/io/rdma/coroutines/RdmaEvents.kt", "../docs/guide/events.md"])
    fun `the documented bound is the engine's`(file: String) {
        // Read at run time: the compiler copies a constant, and keeps the copy where it compiles only what changed.
        val bound = EventBuffer::class.java.getField("CAPACITY").getInt(null)
        val stated = Regex("(\\d+) events wait").find(Path.of(file).readText())
        assertThat(stated?.groupValues?.last()).isEqualTo(bound.toString())
    }
}
