package io.rdma;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Test of the dependencies between packages, which have one direction: internal.connect → connect → internal.engine →
 * internal.loop → engine → buffer → verbs → internal.ffi and internal.soft → types.
 */
@AnalyzeClasses(packages = "io.rdma", importOptions = DoNotIncludeTests.class)
class PackageDirectionTest {
    private static final String VERBS = "io.rdma.verbs..";
    private static final String BUFFER = "io.rdma.buffer..";
    private static final String ENGINE = "io.rdma.engine..";
    private static final String LOOP = "io.rdma.internal.loop..";
    private static final String HOT_PATH = "io.rdma.internal.engine..";
    private static final String CONNECT = "io.rdma.connect..";
    private static final String CONNECTING = "io.rdma.internal.connect..";

    /** Errors, frames and tables of calls, for the front-ends. No other package depends on them. */
    private static final String CALL = "io.rdma.call..";

    private static final String CALLING = "io.rdma.internal.call..";

    /** Values, errors and hosts' interfaces of one-sided data structures. */
    private static final String STRUCTURES = "io.rdma.structures..";

    /** Their layouts and protocols, over the engine. No other package depends on them. */
    private static final String STRUCTURING = "io.rdma.internal.structures..";

    /** How several objects are closed, for buffers, engine and connections. */
    private static final String CLOSE = "io.rdma.internal.close..";

    private static final String FFI = "io.rdma.internal.ffi..";
    private static final String SOFT = "io.rdma.internal.soft..";

    /** Calls of the C library, used by the seam and both devices. */
    private static final String OS = "io.rdma.internal.os..";

    /** Logging, used by all packages. */
    private static final String LOG = "io.rdma.internal.log..";

    /** Loop that accepts TCP connections, used by connecting and by the software device. */
    private static final String NET = "io.rdma.internal.net..";

    /** Clock, threads and randomness, for all. */
    private static final String ENVIRONMENT = "io.rdma.environment..";

    /** Faults, counters and captures of the software device. No other package depends on it. */
    private static final String NETWORK = "io.rdma.soft..";

    /** Enums, attributes and errors: below verbs and below the seam. */
    private static final String TYPES = "io.rdma.types..";

    /** Numbers and structures of C: below the seam and the types. */
    private static final String IBV = "io.rdma.internal.ibv..";

    @ArchTest
    static final ArchRule typesKnowOnlyTheNumbersOfC = noClasses()
            .that()
            .resideInAPackage(TYPES)
            .should()
            .dependOnClassesThat(
                    resideInAPackage("io.rdma..").and(DescribedPredicate.not(resideInAnyPackage(TYPES, IBV))));

    @ArchTest
    static final ArchRule structuresOfCKnowNothing = noClasses()
            .that()
            .resideInAPackage(IBV)
            .should()
            .dependOnClassesThat(resideInAPackage("io.rdma..").and(DescribedPredicate.not(resideInAPackage(IBV))));

    @ArchTest
    static final ArchRule verbsKnowsNothingAboveIt = noClasses()
            .that()
            .resideInAPackage(VERBS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(BUFFER, ENGINE, LOOP, HOT_PATH, CONNECT, CONNECTING, NETWORK)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule bufferKnowsOnlyVerbs = noClasses()
            .that()
            .resideInAPackage(BUFFER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ENGINE, LOOP, HOT_PATH, CONNECT, CONNECTING, NETWORK)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule engineDoesNotKnowConnect = noClasses()
            .that()
            .resideInAnyPackage(ENGINE, LOOP, HOT_PATH)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CONNECT, CONNECTING)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule valuesOfTheEngineDoNotKnowIt = noClasses()
            .that()
            .resideInAPackage(ENGINE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(LOOP, HOT_PATH)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule theLoopDoesNotKnowTheHotPath = noClasses()
            .that()
            .resideInAPackage(LOOP)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(HOT_PATH)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule onlyVerbsReachesTheSeam = noClasses()
            .that()
            .resideOutsideOfPackages(VERBS, NETWORK, FFI, SOFT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(FFI, SOFT)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule theSeamDoesNotKnowTheSoftwareDevice = noClasses()
            .that()
            .resideInAPackage(FFI)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(SOFT)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule devicesKnowNothingAboveThem = noClasses()
            .that()
            .resideInAnyPackage(FFI, SOFT, OS, LOG, NET, IBV)
            .should()
            .dependOnClassesThat(resideInAPackage("io.rdma..")
                    .and(DescribedPredicate.not(resideInAnyPackage(FFI, SOFT, OS, LOG, NET, IBV, TYPES, ENVIRONMENT))))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule callsKnowOnlyTypesAndAreKnownToNoOther = classes()
            .that()
            .resideInAnyPackage(CALL, CALLING)
            .should()
            .onlyHaveDependentClassesThat()
            .resideInAnyPackage(CALL, CALLING)
            .andShould()
            .onlyDependOnClassesThat(
                    resideInAnyPackage(CALL, CALLING, TYPES).or(DescribedPredicate.not(resideInAPackage("io.rdma.."))));

    @ArchTest
    static final ArchRule structuresAreKnownToNoOther = classes()
            .that()
            .resideInAnyPackage(STRUCTURES, STRUCTURING)
            .should()
            .onlyHaveDependentClassesThat()
            .resideInAnyPackage(STRUCTURES, STRUCTURING);

    @ArchTest
    static final ArchRule valuesOfStructuresDoNotKnowTheEngine = noClasses()
            .that()
            .resideInAPackage(STRUCTURES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(STRUCTURING, HOT_PATH, LOOP, CONNECT, CONNECTING);

    @ArchTest
    static final ArchRule everyClassIsInAListedPackage = classes()
            .that()
            .resideInAPackage("io.rdma..")
            .should()
            .resideInAnyPackage(
                    VERBS,
                    BUFFER,
                    ENGINE,
                    LOOP,
                    HOT_PATH,
                    CLOSE,
                    CONNECT,
                    CONNECTING,
                    CALL,
                    CALLING,
                    STRUCTURES,
                    STRUCTURING,
                    FFI,
                    SOFT,
                    OS,
                    LOG,
                    NET,
                    NETWORK,
                    ENVIRONMENT,
                    TYPES,
                    IBV)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule theSeamDoesNotKnowTheLibraries = noClasses()
            .that()
            .resideInAPackage("io.rdma.internal.ffi")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.rdma.internal.ffi.lib")
            .allowEmptyShould(true);

    /** Only the environment, and the calls of the C library, whose waits are the kernel's, use the JVM's clock. */
    @ArchTest
    static final ArchRule clockThreadsRandomnessAndSocketsComeFromTheEnvironment = noClasses()
            .that()
            .resideOutsideOfPackages(ENVIRONMENT, OS)
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(Thread.class, "startVirtualThread", Runnable.class)
            .orShould()
            .callMethod(Thread.class, "ofVirtual")
            .orShould()
            .callMethod(Thread.class, "ofPlatform")
            .orShould()
            .callMethodWhere(target(owner(assignableTo(CompletableFuture.class)))
                    .and(target(nameMatching("delayedExecutor|orTimeout|completeOnTimeout|supplyAsync|runAsync")))
                    .as("timers and threads of CompletableFuture"))
            .orShould()
            .callConstructor(SecureRandom.class)
            .orShould()
            .callMethod(ThreadLocalRandom.class, "current")
            .orShould()
            .callConstructor(Socket.class)
            .orShould()
            .callConstructor(ServerSocket.class)
            .orShould()
            .callConstructor(DatagramSocket.class);

    @ArchTest
    static final ArchRule datagramChannelsAreOpenedByTheFactoryOfTheLinks = noClasses()
            .that()
            .resideOutsideOfPackage("io.rdma.internal.soft.link..")
            .should()
            .callMethodWhere(target(owner(assignableTo(DatagramChannel.class))).and(target(nameMatching("open"))));

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles =
            SlicesRuleDefinition.slices().matching("io.rdma.(**)").should().beFreeOfCycles();
}
