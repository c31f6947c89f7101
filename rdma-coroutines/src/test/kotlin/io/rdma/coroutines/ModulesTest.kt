package io.rdma.coroutines

import kotlinx.coroutines.CoroutineScope
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.reactivestreams.Publisher
import reactor.core.publisher.Mono
import java.lang.module.Configuration
import java.lang.module.ModuleFinder
import java.lang.reflect.Executable
import java.lang.reflect.Modifier
import java.nio.file.Path
import java.time.Duration
import java.util.function.Function
import kotlin.jvm.optionals.getOrNull

/** Tests of the libraries as named modules, loaded beside the class path that the other tests run on. */
class ModulesTest {
    /**
     * Finder of the modules. It locates each through one of its classes, in a directory or a jar as the build has it.
     */
    private val finder =
        listOf(
            io.rdma.engine.RdmaEndpoint::class.java,
            io.rdma.reactive.RdmaClient::class.java,
            RdmaClient::class.java,
            Class.forName("org.jctools.queues.varhandle.MpscVarHandleArrayQueue"),
            // The module of the class above requires the module of this one.
            Class.forName("org.jctools.queues.MpscArrayQueue", false, ModulesTest::class.java.classLoader),
            Mono::class.java,
            Publisher::class.java,
            Unit::class.java,
            CoroutineScope::class.java,
        ).map {
            Path.of(
                it.protectionDomain.codeSource.location
                    .toURI(),
            )
        }.let { ModuleFinder.of(*it.toTypedArray()) }

    private val controller =
        ModuleLayer.boot().let { boot ->
            ModuleLayer.defineModulesWithOneLoader(
                // Resolution fails if a required module is missing, or if two modules share a package.
                Configuration.resolve(finder, listOf(boot.configuration()), ModuleFinder.of(), FRONT_ENDS),
                listOf(boot),
                ClassLoader.getPlatformClassLoader(),
            )
        }
    private val layer = controller.layer()
    private val loader = layer.findLoader(CORE)

    private fun module(name: String): Module = layer.findModule(name).orElseThrow()

    /**
     * Returns the modules that a module reads if it requires only [name]: that module and those that it requires
     * transitively.
     */
    private fun readableThrough(name: String): Set<Module> =
        setOf(module(name), module(name).layer.findModule("java.base").orElseThrow()) +
            module(name)
                .descriptor
                .requires()
                .filter { java.lang.module.ModuleDescriptor.Requires.Modifier.TRANSITIVE in it.modifiers() }
                .mapNotNull { layer.findModule(it.name()).getOrNull() }
                .flatMap { readableThrough(it.name) }

    private fun publicTypes(name: String): List<Class<*>> {
        val exported =
            module(name)
                .descriptor
                .exports()
                .filter { !it.isQualified }
                .map { it.source() }
        val classes =
            finder.find(name).orElseThrow().open().use { reader ->
                reader.list().filter { it.endsWith(".class") && it != "module-info.class" }.toList()
            }
        return classes
            .map { it.removeSuffix(".class").replace('/', '.') }
            .filter { it.substringBeforeLast('.') in exported }
            .filter { name != KOTLIN || it.substringAfterLast('.') in publicInKotlin }
            .mapNotNull(::loaded)
            .filter { Modifier.isPublic(it.modifiers) }
    }

    /**
     * Names of the classes that are public in Kotlin. In class files those that are internal are public, too, as are
     * internal constructors; internal functions have a `$` in their names.
     */
    private val publicInKotlin =
        Path
            .of("src/main/kotlin")
            .toFile()
            .walk()
            .filter { it.isFile }
            .flatMap { PUBLIC.findAll(it.readText()) }
            .map { match -> match.groupValues.drop(1).first { it.isNotEmpty() } }
            .toSet()
            .also { assertThat(it).contains("RdmaConnection", "RdmaEvents") }

    private fun isKotlin(type: Class<*>) = type.annotations.any { it.annotationClass.java.name == "kotlin.Metadata" }

    /** Loads a type. Returns null if the type needs an optional library, none of which is here. */
    private fun loaded(name: String): Class<*>? =
        try {
            loader.loadClass(name).also(::named)
        } catch (missing: NoClassDefFoundError) {
            assertThat(OPTIONAL).anyMatch { missing.message.orEmpty().startsWith(it) }
            null
        }

    private fun named(type: Class<*>): List<Class<*>> {
        val visible = { modifiers: Int -> Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers) }
        val constructors = if (isKotlin(type)) listOf() else type.declaredConstructors.toList()
        val executables: List<Executable> = type.declaredMethods.filter { '$' !in it.name } + constructors
        return executables.filter { visible(it.modifiers) && !it.isSynthetic }.flatMap { e ->
            e.parameterTypes.toList() + e.exceptionTypes + listOfNotNull((e as? java.lang.reflect.Method)?.returnType)
        } + type.declaredFields.filter { visible(it.modifiers) }.map { it.type } +
            type.interfaces + listOfNotNull(type.superclass)
    }

    @AfterEach
    fun `only the known modules are automatic`() {
        val automatic =
            layer.modules().filter { it.descriptor.isAutomatic }.map { it.name }
        assertThat(automatic).containsExactlyInAnyOrder("reactor.core", "org.reactivestreams")
    }

    @Test
    fun `a module that requires a front-end sees every type that its signatures name`() {
        for (frontEnd in FRONT_ENDS) {
            val readable = readableThrough(frontEnd)
            for (name in listOf(CORE, frontEnd)) {
                val types = publicTypes(name)
                assertThat(types).hasSizeGreaterThan(3)
                val hidden =
                    types.flatMap { type ->
                        named(type)
                            .map { generateSequence(it) { array -> array.componentType }.last() }
                            .filter { it.module !in readable || !it.module.isExported(it.packageName) }
                            .map { "${type.name} names ${it.name}" }
                    }
                assertThat(hidden).isEmpty()
            }
        }
    }

    @Test
    fun `a connection is made between named modules`() {
        controller.enableNativeAccess(module(CORE))
        val limit = Duration.ofSeconds(60)

        fun call(
            target: Any,
            type: String,
            method: String,
            vararg arguments: Any,
        ): Any {
            val found =
                loader.loadClass("$REACTIVE.$type").methods.single {
                    it.name == method && it.parameterCount == arguments.size
                }
            return found.invoke(target, *arguments) ?: Unit
        }

        fun create(type: String): Any {
            val created = loader.loadClass("$REACTIVE.$type").getMethod("create").invoke(null)
            return call(created, type, "device", "soft0").let { call(it, type, "host", "127.0.0.1") }
        }
        val never = loader.loadClass("reactor.core.publisher.Mono").getMethod("never").invoke(null)
        val server = create("RdmaServer").let { call(it, "RdmaServer", "handle", Function<Any, Any> { never }) }
        val bound = call(server, "RdmaServer", "bindNow", limit)
        val client =
            create(
                "RdmaClient",
            ).let { call(it, "RdmaClient", "port", call(bound, "DisposableServer", "port")) }
        val connection = call(client, "RdmaClient", "connectNow", limit)
        assertThat(connection.javaClass.module).isSameAs(module(REACTIVE))
        call(connection, "RdmaConnection", "disposeNow", limit)
        call(bound, "DisposableServer", "disposeNow", limit)
    }

    private companion object {
        const val CORE = "io.rdma.core"
        const val REACTIVE = "io.rdma.reactive"
        const val KOTLIN = "io.rdma.coroutines"
        val FRONT_ENDS = listOf(REACTIVE, KOTLIN)
        private val PUBLIC =
            Regex("""(?m)^public (?:\w+ )*(?:class|interface|object) (\w+)|^@file:JvmName\("(\w+)"\)""")
        private val OPTIONAL =
            listOf(
                "org/junit/",
                "io/rsocket/",
                "io/netty/",
                "io/micrometer/",
                "reactor/blockhound/",
                "reactor/pool/",
                "org/springframework/",
                "kotlinx/serialization/",
                "kotlinx/io/",
            )
    }
}
