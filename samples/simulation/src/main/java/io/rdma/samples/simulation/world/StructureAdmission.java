package io.rdma.samples.simulation.world;

import io.rdma.structures.StructureLocation;
import java.util.Map;

/**
 * Structures to which the server has admitted a session. The run passes them on, not the network.
 *
 * @param locations by kind; those that could not be made are missing
 * @param ring model of the session's ring
 * @param models of what all sessions share
 */
record StructureAdmission(Map<StructureKind, StructureLocation> locations, RingModel ring, StructureModels models) {}
