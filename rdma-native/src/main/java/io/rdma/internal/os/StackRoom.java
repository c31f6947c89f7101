package io.rdma.internal.os;

// How it works: a JVM tests at the entry of a method whether the stack has room for the method's frame, and throws
// StackOverflowError before the method begins. The frame of `reserve` is large, because it declares 1,024 variables of
// two slots each. HotSpot's compiler tests the frame that its interpreter would need if it had to continue there, also
// where the method is inlined. It leaves that out for a method that it never has to leave, so `reserve` depends on a
// field of which the compiler does not know the value. The compiler inlines one level of a recursion. So with one
// method
// it would inline two pieces and call a method for the third, which a signal needs. That call took a tenth of the time
// of a small operation. With two methods that call each other it inlines four pieces.
//
// Where a test is inlined, the entry of the compiled method makes it, whether or not the method comes to the test. It
// mostly makes it for four pieces, and callers rely on that: methods below them have tests of their own.
//
// The test writes to each page of 4 KiB. These pages have the same place in the first cache of a processor, so sixteen
// of them cost about 20 ns where the compiled method runs for each operation, and four about 2 ns. So the way of an
// operation into the chain of its loop, on which nothing else tests, has a test for exactly one piece.

/**
 * Test of the room on the caller's stack. A StackOverflowError in the middle of a change would leave the change half
 * done: a queue that no thread serves any more, a buffer that no one gives back. So the methods that applications call,
 * perhaps deep in a recursion, test for room before they change anything. The error that an application gets then says
 * that nothing happened.
 *
 * <p>A method that calls others which test needs more than they do, so that their tests succeed in the middle of its
 * change, or it undoes the change. StackRoomTest shows how much is enough.
 */
public final class StackRoom {
    /** Pieces for a method that gives memory back. */
    public static final int RELEASE = 1;

    /** Pieces for a method that may post for other threads, and give memory back meanwhile. */
    public static final int SUBMIT = 2;

    /** Pieces for a signal of a front-end, and for what may start a thread: the JDK's scheduler needs some room. */
    public static final int SIGNAL = 3;

    /** Pieces for a method that closes something which has many parts, or that runs other callers' code. */
    public static final int CLOSE = 5;

    private static int nothing;

    private StackRoom() {}

    /**
     * Tests whether the caller's stack has room.
     *
     * @param pieces of 16 KiB
     * @throws StackOverflowError if there is less
     */
    public static void require(int pieces) {
        reserve(pieces - 1 + nothing);
    }

    /**
     * Tests for one piece, and in compiled code for no more. For a method that adds an operation to the chain of its
     * loop, and calls nothing that tests.
     *
     * @throws StackOverflowError if there is less
     */
    public static void requireForPost() {
        reserveOne();
    }

    /**
     * Returns whether the caller's stack has room.
     *
     * @param pieces of 16 KiB
     */
    public static boolean has(int pieces) {
        try {
            require(pieces);
            return true;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    @SuppressWarnings("unused")
    private static void reserve(int more) {
        long v000, v001, v002, v003, v004, v005, v006, v007, v008, v009, v00a, v00b, v00c, v00d, v00e, v00f, v010, v011;
        long v012, v013, v014, v015, v016, v017, v018, v019, v01a, v01b, v01c, v01d, v01e, v01f, v020, v021, v022, v023;
        long v024, v025, v026, v027, v028, v029, v02a, v02b, v02c, v02d, v02e, v02f, v030, v031, v032, v033, v034, v035;
        long v036, v037, v038, v039, v03a, v03b, v03c, v03d, v03e, v03f, v040, v041, v042, v043, v044, v045, v046, v047;
        long v048, v049, v04a, v04b, v04c, v04d, v04e, v04f, v050, v051, v052, v053, v054, v055, v056, v057, v058, v059;
        long v05a, v05b, v05c, v05d, v05e, v05f, v060, v061, v062, v063, v064, v065, v066, v067, v068, v069, v06a, v06b;
        long v06c, v06d, v06e, v06f, v070, v071, v072, v073, v074, v075, v076, v077, v078, v079, v07a, v07b, v07c, v07d;
        long v07e, v07f, v080, v081, v082, v083, v084, v085, v086, v087, v088, v089, v08a, v08b, v08c, v08d, v08e, v08f;
        long v090, v091, v092, v093, v094, v095, v096, v097, v098, v099, v09a, v09b, v09c, v09d, v09e, v09f, v0a0, v0a1;
        long v0a2, v0a3, v0a4, v0a5, v0a6, v0a7, v0a8, v0a9, v0aa, v0ab, v0ac, v0ad, v0ae, v0af, v0b0, v0b1, v0b2, v0b3;
        long v0b4, v0b5, v0b6, v0b7, v0b8, v0b9, v0ba, v0bb, v0bc, v0bd, v0be, v0bf, v0c0, v0c1, v0c2, v0c3, v0c4, v0c5;
        long v0c6, v0c7, v0c8, v0c9, v0ca, v0cb, v0cc, v0cd, v0ce, v0cf, v0d0, v0d1, v0d2, v0d3, v0d4, v0d5, v0d6, v0d7;
        long v0d8, v0d9, v0da, v0db, v0dc, v0dd, v0de, v0df, v0e0, v0e1, v0e2, v0e3, v0e4, v0e5, v0e6, v0e7, v0e8, v0e9;
        long v0ea, v0eb, v0ec, v0ed, v0ee, v0ef, v0f0, v0f1, v0f2, v0f3, v0f4, v0f5, v0f6, v0f7, v0f8, v0f9, v0fa, v0fb;
        long v0fc, v0fd, v0fe, v0ff, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v10a, v10b, v10c, v10d;
        long v10e, v10f, v110, v111, v112, v113, v114, v115, v116, v117, v118, v119, v11a, v11b, v11c, v11d, v11e, v11f;
        long v120, v121, v122, v123, v124, v125, v126, v127, v128, v129, v12a, v12b, v12c, v12d, v12e, v12f, v130, v131;
        long v132, v133, v134, v135, v136, v137, v138, v139, v13a, v13b, v13c, v13d, v13e, v13f, v140, v141, v142, v143;
        long v144, v145, v146, v147, v148, v149, v14a, v14b, v14c, v14d, v14e, v14f, v150, v151, v152, v153, v154, v155;
        long v156, v157, v158, v159, v15a, v15b, v15c, v15d, v15e, v15f, v160, v161, v162, v163, v164, v165, v166, v167;
        long v168, v169, v16a, v16b, v16c, v16d, v16e, v16f, v170, v171, v172, v173, v174, v175, v176, v177, v178, v179;
        long v17a, v17b, v17c, v17d, v17e, v17f, v180, v181, v182, v183, v184, v185, v186, v187, v188, v189, v18a, v18b;
        long v18c, v18d, v18e, v18f, v190, v191, v192, v193, v194, v195, v196, v197, v198, v199, v19a, v19b, v19c, v19d;
        long v19e, v19f, v1a0, v1a1, v1a2, v1a3, v1a4, v1a5, v1a6, v1a7, v1a8, v1a9, v1aa, v1ab, v1ac, v1ad, v1ae, v1af;
        long v1b0, v1b1, v1b2, v1b3, v1b4, v1b5, v1b6, v1b7, v1b8, v1b9, v1ba, v1bb, v1bc, v1bd, v1be, v1bf, v1c0, v1c1;
        long v1c2, v1c3, v1c4, v1c5, v1c6, v1c7, v1c8, v1c9, v1ca, v1cb, v1cc, v1cd, v1ce, v1cf, v1d0, v1d1, v1d2, v1d3;
        long v1d4, v1d5, v1d6, v1d7, v1d8, v1d9, v1da, v1db, v1dc, v1dd, v1de, v1df, v1e0, v1e1, v1e2, v1e3, v1e4, v1e5;
        long v1e6, v1e7, v1e8, v1e9, v1ea, v1eb, v1ec, v1ed, v1ee, v1ef, v1f0, v1f1, v1f2, v1f3, v1f4, v1f5, v1f6, v1f7;
        long v1f8, v1f9, v1fa, v1fb, v1fc, v1fd, v1fe, v1ff, v200, v201, v202, v203, v204, v205, v206, v207, v208, v209;
        long v20a, v20b, v20c, v20d, v20e, v20f, v210, v211, v212, v213, v214, v215, v216, v217, v218, v219, v21a, v21b;
        long v21c, v21d, v21e, v21f, v220, v221, v222, v223, v224, v225, v226, v227, v228, v229, v22a, v22b, v22c, v22d;
        long v22e, v22f, v230, v231, v232, v233, v234, v235, v236, v237, v238, v239, v23a, v23b, v23c, v23d, v23e, v23f;
        long v240, v241, v242, v243, v244, v245, v246, v247, v248, v249, v24a, v24b, v24c, v24d, v24e, v24f, v250, v251;
        long v252, v253, v254, v255, v256, v257, v258, v259, v25a, v25b, v25c, v25d, v25e, v25f, v260, v261, v262, v263;
        long v264, v265, v266, v267, v268, v269, v26a, v26b, v26c, v26d, v26e, v26f, v270, v271, v272, v273, v274, v275;
        long v276, v277, v278, v279, v27a, v27b, v27c, v27d, v27e, v27f, v280, v281, v282, v283, v284, v285, v286, v287;
        long v288, v289, v28a, v28b, v28c, v28d, v28e, v28f, v290, v291, v292, v293, v294, v295, v296, v297, v298, v299;
        long v29a, v29b, v29c, v29d, v29e, v29f, v2a0, v2a1, v2a2, v2a3, v2a4, v2a5, v2a6, v2a7, v2a8, v2a9, v2aa, v2ab;
        long v2ac, v2ad, v2ae, v2af, v2b0, v2b1, v2b2, v2b3, v2b4, v2b5, v2b6, v2b7, v2b8, v2b9, v2ba, v2bb, v2bc, v2bd;
        long v2be, v2bf, v2c0, v2c1, v2c2, v2c3, v2c4, v2c5, v2c6, v2c7, v2c8, v2c9, v2ca, v2cb, v2cc, v2cd, v2ce, v2cf;
        long v2d0, v2d1, v2d2, v2d3, v2d4, v2d5, v2d6, v2d7, v2d8, v2d9, v2da, v2db, v2dc, v2dd, v2de, v2df, v2e0, v2e1;
        long v2e2, v2e3, v2e4, v2e5, v2e6, v2e7, v2e8, v2e9, v2ea, v2eb, v2ec, v2ed, v2ee, v2ef, v2f0, v2f1, v2f2, v2f3;
        long v2f4, v2f5, v2f6, v2f7, v2f8, v2f9, v2fa, v2fb, v2fc, v2fd, v2fe, v2ff, v300, v301, v302, v303, v304, v305;
        long v306, v307, v308, v309, v30a, v30b, v30c, v30d, v30e, v30f, v310, v311, v312, v313, v314, v315, v316, v317;
        long v318, v319, v31a, v31b, v31c, v31d, v31e, v31f, v320, v321, v322, v323, v324, v325, v326, v327, v328, v329;
        long v32a, v32b, v32c, v32d, v32e, v32f, v330, v331, v332, v333, v334, v335, v336, v337, v338, v339, v33a, v33b;
        long v33c, v33d, v33e, v33f, v340, v341, v342, v343, v344, v345, v346, v347, v348, v349, v34a, v34b, v34c, v34d;
        long v34e, v34f, v350, v351, v352, v353, v354, v355, v356, v357, v358, v359, v35a, v35b, v35c, v35d, v35e, v35f;
        long v360, v361, v362, v363, v364, v365, v366, v367, v368, v369, v36a, v36b, v36c, v36d, v36e, v36f, v370, v371;
        long v372, v373, v374, v375, v376, v377, v378, v379, v37a, v37b, v37c, v37d, v37e, v37f, v380, v381, v382, v383;
        long v384, v385, v386, v387, v388, v389, v38a, v38b, v38c, v38d, v38e, v38f, v390, v391, v392, v393, v394, v395;
        long v396, v397, v398, v399, v39a, v39b, v39c, v39d, v39e, v39f, v3a0, v3a1, v3a2, v3a3, v3a4, v3a5, v3a6, v3a7;
        long v3a8, v3a9, v3aa, v3ab, v3ac, v3ad, v3ae, v3af, v3b0, v3b1, v3b2, v3b3, v3b4, v3b5, v3b6, v3b7, v3b8, v3b9;
        long v3ba, v3bb, v3bc, v3bd, v3be, v3bf, v3c0, v3c1, v3c2, v3c3, v3c4, v3c5, v3c6, v3c7, v3c8, v3c9, v3ca, v3cb;
        long v3cc, v3cd, v3ce, v3cf, v3d0, v3d1, v3d2, v3d3, v3d4, v3d5, v3d6, v3d7, v3d8, v3d9, v3da, v3db, v3dc, v3dd;
        long v3de, v3df, v3e0, v3e1, v3e2, v3e3, v3e4, v3e5, v3e6, v3e7, v3e8, v3e9, v3ea, v3eb, v3ec, v3ed, v3ee, v3ef;
        long v3f0, v3f1, v3f2, v3f3, v3f4, v3f5, v3f6, v3f7, v3f8, v3f9, v3fa, v3fb, v3fc, v3fd, v3fe, v3ff;
        if (more > 0) {
            reserveMore(more - 1);
        }
    }

    /** Does the same as {@link #reserve}. Each calls the other, so that the compiler inlines four pieces, not two. */
    @SuppressWarnings("unused")
    private static void reserveMore(int more) {
        long v000, v001, v002, v003, v004, v005, v006, v007, v008, v009, v00a, v00b, v00c, v00d, v00e, v00f, v010, v011;
        long v012, v013, v014, v015, v016, v017, v018, v019, v01a, v01b, v01c, v01d, v01e, v01f, v020, v021, v022, v023;
        long v024, v025, v026, v027, v028, v029, v02a, v02b, v02c, v02d, v02e, v02f, v030, v031, v032, v033, v034, v035;
        long v036, v037, v038, v039, v03a, v03b, v03c, v03d, v03e, v03f, v040, v041, v042, v043, v044, v045, v046, v047;
        long v048, v049, v04a, v04b, v04c, v04d, v04e, v04f, v050, v051, v052, v053, v054, v055, v056, v057, v058, v059;
        long v05a, v05b, v05c, v05d, v05e, v05f, v060, v061, v062, v063, v064, v065, v066, v067, v068, v069, v06a, v06b;
        long v06c, v06d, v06e, v06f, v070, v071, v072, v073, v074, v075, v076, v077, v078, v079, v07a, v07b, v07c, v07d;
        long v07e, v07f, v080, v081, v082, v083, v084, v085, v086, v087, v088, v089, v08a, v08b, v08c, v08d, v08e, v08f;
        long v090, v091, v092, v093, v094, v095, v096, v097, v098, v099, v09a, v09b, v09c, v09d, v09e, v09f, v0a0, v0a1;
        long v0a2, v0a3, v0a4, v0a5, v0a6, v0a7, v0a8, v0a9, v0aa, v0ab, v0ac, v0ad, v0ae, v0af, v0b0, v0b1, v0b2, v0b3;
        long v0b4, v0b5, v0b6, v0b7, v0b8, v0b9, v0ba, v0bb, v0bc, v0bd, v0be, v0bf, v0c0, v0c1, v0c2, v0c3, v0c4, v0c5;
        long v0c6, v0c7, v0c8, v0c9, v0ca, v0cb, v0cc, v0cd, v0ce, v0cf, v0d0, v0d1, v0d2, v0d3, v0d4, v0d5, v0d6, v0d7;
        long v0d8, v0d9, v0da, v0db, v0dc, v0dd, v0de, v0df, v0e0, v0e1, v0e2, v0e3, v0e4, v0e5, v0e6, v0e7, v0e8, v0e9;
        long v0ea, v0eb, v0ec, v0ed, v0ee, v0ef, v0f0, v0f1, v0f2, v0f3, v0f4, v0f5, v0f6, v0f7, v0f8, v0f9, v0fa, v0fb;
        long v0fc, v0fd, v0fe, v0ff, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v10a, v10b, v10c, v10d;
        long v10e, v10f, v110, v111, v112, v113, v114, v115, v116, v117, v118, v119, v11a, v11b, v11c, v11d, v11e, v11f;
        long v120, v121, v122, v123, v124, v125, v126, v127, v128, v129, v12a, v12b, v12c, v12d, v12e, v12f, v130, v131;
        long v132, v133, v134, v135, v136, v137, v138, v139, v13a, v13b, v13c, v13d, v13e, v13f, v140, v141, v142, v143;
        long v144, v145, v146, v147, v148, v149, v14a, v14b, v14c, v14d, v14e, v14f, v150, v151, v152, v153, v154, v155;
        long v156, v157, v158, v159, v15a, v15b, v15c, v15d, v15e, v15f, v160, v161, v162, v163, v164, v165, v166, v167;
        long v168, v169, v16a, v16b, v16c, v16d, v16e, v16f, v170, v171, v172, v173, v174, v175, v176, v177, v178, v179;
        long v17a, v17b, v17c, v17d, v17e, v17f, v180, v181, v182, v183, v184, v185, v186, v187, v188, v189, v18a, v18b;
        long v18c, v18d, v18e, v18f, v190, v191, v192, v193, v194, v195, v196, v197, v198, v199, v19a, v19b, v19c, v19d;
        long v19e, v19f, v1a0, v1a1, v1a2, v1a3, v1a4, v1a5, v1a6, v1a7, v1a8, v1a9, v1aa, v1ab, v1ac, v1ad, v1ae, v1af;
        long v1b0, v1b1, v1b2, v1b3, v1b4, v1b5, v1b6, v1b7, v1b8, v1b9, v1ba, v1bb, v1bc, v1bd, v1be, v1bf, v1c0, v1c1;
        long v1c2, v1c3, v1c4, v1c5, v1c6, v1c7, v1c8, v1c9, v1ca, v1cb, v1cc, v1cd, v1ce, v1cf, v1d0, v1d1, v1d2, v1d3;
        long v1d4, v1d5, v1d6, v1d7, v1d8, v1d9, v1da, v1db, v1dc, v1dd, v1de, v1df, v1e0, v1e1, v1e2, v1e3, v1e4, v1e5;
        long v1e6, v1e7, v1e8, v1e9, v1ea, v1eb, v1ec, v1ed, v1ee, v1ef, v1f0, v1f1, v1f2, v1f3, v1f4, v1f5, v1f6, v1f7;
        long v1f8, v1f9, v1fa, v1fb, v1fc, v1fd, v1fe, v1ff, v200, v201, v202, v203, v204, v205, v206, v207, v208, v209;
        long v20a, v20b, v20c, v20d, v20e, v20f, v210, v211, v212, v213, v214, v215, v216, v217, v218, v219, v21a, v21b;
        long v21c, v21d, v21e, v21f, v220, v221, v222, v223, v224, v225, v226, v227, v228, v229, v22a, v22b, v22c, v22d;
        long v22e, v22f, v230, v231, v232, v233, v234, v235, v236, v237, v238, v239, v23a, v23b, v23c, v23d, v23e, v23f;
        long v240, v241, v242, v243, v244, v245, v246, v247, v248, v249, v24a, v24b, v24c, v24d, v24e, v24f, v250, v251;
        long v252, v253, v254, v255, v256, v257, v258, v259, v25a, v25b, v25c, v25d, v25e, v25f, v260, v261, v262, v263;
        long v264, v265, v266, v267, v268, v269, v26a, v26b, v26c, v26d, v26e, v26f, v270, v271, v272, v273, v274, v275;
        long v276, v277, v278, v279, v27a, v27b, v27c, v27d, v27e, v27f, v280, v281, v282, v283, v284, v285, v286, v287;
        long v288, v289, v28a, v28b, v28c, v28d, v28e, v28f, v290, v291, v292, v293, v294, v295, v296, v297, v298, v299;
        long v29a, v29b, v29c, v29d, v29e, v29f, v2a0, v2a1, v2a2, v2a3, v2a4, v2a5, v2a6, v2a7, v2a8, v2a9, v2aa, v2ab;
        long v2ac, v2ad, v2ae, v2af, v2b0, v2b1, v2b2, v2b3, v2b4, v2b5, v2b6, v2b7, v2b8, v2b9, v2ba, v2bb, v2bc, v2bd;
        long v2be, v2bf, v2c0, v2c1, v2c2, v2c3, v2c4, v2c5, v2c6, v2c7, v2c8, v2c9, v2ca, v2cb, v2cc, v2cd, v2ce, v2cf;
        long v2d0, v2d1, v2d2, v2d3, v2d4, v2d5, v2d6, v2d7, v2d8, v2d9, v2da, v2db, v2dc, v2dd, v2de, v2df, v2e0, v2e1;
        long v2e2, v2e3, v2e4, v2e5, v2e6, v2e7, v2e8, v2e9, v2ea, v2eb, v2ec, v2ed, v2ee, v2ef, v2f0, v2f1, v2f2, v2f3;
        long v2f4, v2f5, v2f6, v2f7, v2f8, v2f9, v2fa, v2fb, v2fc, v2fd, v2fe, v2ff, v300, v301, v302, v303, v304, v305;
        long v306, v307, v308, v309, v30a, v30b, v30c, v30d, v30e, v30f, v310, v311, v312, v313, v314, v315, v316, v317;
        long v318, v319, v31a, v31b, v31c, v31d, v31e, v31f, v320, v321, v322, v323, v324, v325, v326, v327, v328, v329;
        long v32a, v32b, v32c, v32d, v32e, v32f, v330, v331, v332, v333, v334, v335, v336, v337, v338, v339, v33a, v33b;
        long v33c, v33d, v33e, v33f, v340, v341, v342, v343, v344, v345, v346, v347, v348, v349, v34a, v34b, v34c, v34d;
        long v34e, v34f, v350, v351, v352, v353, v354, v355, v356, v357, v358, v359, v35a, v35b, v35c, v35d, v35e, v35f;
        long v360, v361, v362, v363, v364, v365, v366, v367, v368, v369, v36a, v36b, v36c, v36d, v36e, v36f, v370, v371;
        long v372, v373, v374, v375, v376, v377, v378, v379, v37a, v37b, v37c, v37d, v37e, v37f, v380, v381, v382, v383;
        long v384, v385, v386, v387, v388, v389, v38a, v38b, v38c, v38d, v38e, v38f, v390, v391, v392, v393, v394, v395;
        long v396, v397, v398, v399, v39a, v39b, v39c, v39d, v39e, v39f, v3a0, v3a1, v3a2, v3a3, v3a4, v3a5, v3a6, v3a7;
        long v3a8, v3a9, v3aa, v3ab, v3ac, v3ad, v3ae, v3af, v3b0, v3b1, v3b2, v3b3, v3b4, v3b5, v3b6, v3b7, v3b8, v3b9;
        long v3ba, v3bb, v3bc, v3bd, v3be, v3bf, v3c0, v3c1, v3c2, v3c3, v3c4, v3c5, v3c6, v3c7, v3c8, v3c9, v3ca, v3cb;
        long v3cc, v3cd, v3ce, v3cf, v3d0, v3d1, v3d2, v3d3, v3d4, v3d5, v3d6, v3d7, v3d8, v3d9, v3da, v3db, v3dc, v3dd;
        long v3de, v3df, v3e0, v3e1, v3e2, v3e3, v3e4, v3e5, v3e6, v3e7, v3e8, v3e9, v3ea, v3eb, v3ec, v3ed, v3ee, v3ef;
        long v3f0, v3f1, v3f2, v3f3, v3f4, v3f5, v3f6, v3f7, v3f8, v3f9, v3fa, v3fb, v3fc, v3fd, v3fe, v3ff;
        if (more > 0) {
            reserve(more - 1);
        }
    }

    /**
     * Reserves a piece. It calls nothing, so that the compiler inlines no more. The variables stand here again, because
     * a method's frame is as large as its own variables make it.
     */
    @SuppressWarnings("unused")
    private static void reserveOne() {
        long v000, v001, v002, v003, v004, v005, v006, v007, v008, v009, v00a, v00b, v00c, v00d, v00e, v00f, v010, v011;
        long v012, v013, v014, v015, v016, v017, v018, v019, v01a, v01b, v01c, v01d, v01e, v01f, v020, v021, v022, v023;
        long v024, v025, v026, v027, v028, v029, v02a, v02b, v02c, v02d, v02e, v02f, v030, v031, v032, v033, v034, v035;
        long v036, v037, v038, v039, v03a, v03b, v03c, v03d, v03e, v03f, v040, v041, v042, v043, v044, v045, v046, v047;
        long v048, v049, v04a, v04b, v04c, v04d, v04e, v04f, v050, v051, v052, v053, v054, v055, v056, v057, v058, v059;
        long v05a, v05b, v05c, v05d, v05e, v05f, v060, v061, v062, v063, v064, v065, v066, v067, v068, v069, v06a, v06b;
        long v06c, v06d, v06e, v06f, v070, v071, v072, v073, v074, v075, v076, v077, v078, v079, v07a, v07b, v07c, v07d;
        long v07e, v07f, v080, v081, v082, v083, v084, v085, v086, v087, v088, v089, v08a, v08b, v08c, v08d, v08e, v08f;
        long v090, v091, v092, v093, v094, v095, v096, v097, v098, v099, v09a, v09b, v09c, v09d, v09e, v09f, v0a0, v0a1;
        long v0a2, v0a3, v0a4, v0a5, v0a6, v0a7, v0a8, v0a9, v0aa, v0ab, v0ac, v0ad, v0ae, v0af, v0b0, v0b1, v0b2, v0b3;
        long v0b4, v0b5, v0b6, v0b7, v0b8, v0b9, v0ba, v0bb, v0bc, v0bd, v0be, v0bf, v0c0, v0c1, v0c2, v0c3, v0c4, v0c5;
        long v0c6, v0c7, v0c8, v0c9, v0ca, v0cb, v0cc, v0cd, v0ce, v0cf, v0d0, v0d1, v0d2, v0d3, v0d4, v0d5, v0d6, v0d7;
        long v0d8, v0d9, v0da, v0db, v0dc, v0dd, v0de, v0df, v0e0, v0e1, v0e2, v0e3, v0e4, v0e5, v0e6, v0e7, v0e8, v0e9;
        long v0ea, v0eb, v0ec, v0ed, v0ee, v0ef, v0f0, v0f1, v0f2, v0f3, v0f4, v0f5, v0f6, v0f7, v0f8, v0f9, v0fa, v0fb;
        long v0fc, v0fd, v0fe, v0ff, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v10a, v10b, v10c, v10d;
        long v10e, v10f, v110, v111, v112, v113, v114, v115, v116, v117, v118, v119, v11a, v11b, v11c, v11d, v11e, v11f;
        long v120, v121, v122, v123, v124, v125, v126, v127, v128, v129, v12a, v12b, v12c, v12d, v12e, v12f, v130, v131;
        long v132, v133, v134, v135, v136, v137, v138, v139, v13a, v13b, v13c, v13d, v13e, v13f, v140, v141, v142, v143;
        long v144, v145, v146, v147, v148, v149, v14a, v14b, v14c, v14d, v14e, v14f, v150, v151, v152, v153, v154, v155;
        long v156, v157, v158, v159, v15a, v15b, v15c, v15d, v15e, v15f, v160, v161, v162, v163, v164, v165, v166, v167;
        long v168, v169, v16a, v16b, v16c, v16d, v16e, v16f, v170, v171, v172, v173, v174, v175, v176, v177, v178, v179;
        long v17a, v17b, v17c, v17d, v17e, v17f, v180, v181, v182, v183, v184, v185, v186, v187, v188, v189, v18a, v18b;
        long v18c, v18d, v18e, v18f, v190, v191, v192, v193, v194, v195, v196, v197, v198, v199, v19a, v19b, v19c, v19d;
        long v19e, v19f, v1a0, v1a1, v1a2, v1a3, v1a4, v1a5, v1a6, v1a7, v1a8, v1a9, v1aa, v1ab, v1ac, v1ad, v1ae, v1af;
        long v1b0, v1b1, v1b2, v1b3, v1b4, v1b5, v1b6, v1b7, v1b8, v1b9, v1ba, v1bb, v1bc, v1bd, v1be, v1bf, v1c0, v1c1;
        long v1c2, v1c3, v1c4, v1c5, v1c6, v1c7, v1c8, v1c9, v1ca, v1cb, v1cc, v1cd, v1ce, v1cf, v1d0, v1d1, v1d2, v1d3;
        long v1d4, v1d5, v1d6, v1d7, v1d8, v1d9, v1da, v1db, v1dc, v1dd, v1de, v1df, v1e0, v1e1, v1e2, v1e3, v1e4, v1e5;
        long v1e6, v1e7, v1e8, v1e9, v1ea, v1eb, v1ec, v1ed, v1ee, v1ef, v1f0, v1f1, v1f2, v1f3, v1f4, v1f5, v1f6, v1f7;
        long v1f8, v1f9, v1fa, v1fb, v1fc, v1fd, v1fe, v1ff, v200, v201, v202, v203, v204, v205, v206, v207, v208, v209;
        long v20a, v20b, v20c, v20d, v20e, v20f, v210, v211, v212, v213, v214, v215, v216, v217, v218, v219, v21a, v21b;
        long v21c, v21d, v21e, v21f, v220, v221, v222, v223, v224, v225, v226, v227, v228, v229, v22a, v22b, v22c, v22d;
        long v22e, v22f, v230, v231, v232, v233, v234, v235, v236, v237, v238, v239, v23a, v23b, v23c, v23d, v23e, v23f;
        long v240, v241, v242, v243, v244, v245, v246, v247, v248, v249, v24a, v24b, v24c, v24d, v24e, v24f, v250, v251;
        long v252, v253, v254, v255, v256, v257, v258, v259, v25a, v25b, v25c, v25d, v25e, v25f, v260, v261, v262, v263;
        long v264, v265, v266, v267, v268, v269, v26a, v26b, v26c, v26d, v26e, v26f, v270, v271, v272, v273, v274, v275;
        long v276, v277, v278, v279, v27a, v27b, v27c, v27d, v27e, v27f, v280, v281, v282, v283, v284, v285, v286, v287;
        long v288, v289, v28a, v28b, v28c, v28d, v28e, v28f, v290, v291, v292, v293, v294, v295, v296, v297, v298, v299;
        long v29a, v29b, v29c, v29d, v29e, v29f, v2a0, v2a1, v2a2, v2a3, v2a4, v2a5, v2a6, v2a7, v2a8, v2a9, v2aa, v2ab;
        long v2ac, v2ad, v2ae, v2af, v2b0, v2b1, v2b2, v2b3, v2b4, v2b5, v2b6, v2b7, v2b8, v2b9, v2ba, v2bb, v2bc, v2bd;
        long v2be, v2bf, v2c0, v2c1, v2c2, v2c3, v2c4, v2c5, v2c6, v2c7, v2c8, v2c9, v2ca, v2cb, v2cc, v2cd, v2ce, v2cf;
        long v2d0, v2d1, v2d2, v2d3, v2d4, v2d5, v2d6, v2d7, v2d8, v2d9, v2da, v2db, v2dc, v2dd, v2de, v2df, v2e0, v2e1;
        long v2e2, v2e3, v2e4, v2e5, v2e6, v2e7, v2e8, v2e9, v2ea, v2eb, v2ec, v2ed, v2ee, v2ef, v2f0, v2f1, v2f2, v2f3;
        long v2f4, v2f5, v2f6, v2f7, v2f8, v2f9, v2fa, v2fb, v2fc, v2fd, v2fe, v2ff, v300, v301, v302, v303, v304, v305;
        long v306, v307, v308, v309, v30a, v30b, v30c, v30d, v30e, v30f, v310, v311, v312, v313, v314, v315, v316, v317;
        long v318, v319, v31a, v31b, v31c, v31d, v31e, v31f, v320, v321, v322, v323, v324, v325, v326, v327, v328, v329;
        long v32a, v32b, v32c, v32d, v32e, v32f, v330, v331, v332, v333, v334, v335, v336, v337, v338, v339, v33a, v33b;
        long v33c, v33d, v33e, v33f, v340, v341, v342, v343, v344, v345, v346, v347, v348, v349, v34a, v34b, v34c, v34d;
        long v34e, v34f, v350, v351, v352, v353, v354, v355, v356, v357, v358, v359, v35a, v35b, v35c, v35d, v35e, v35f;
        long v360, v361, v362, v363, v364, v365, v366, v367, v368, v369, v36a, v36b, v36c, v36d, v36e, v36f, v370, v371;
        long v372, v373, v374, v375, v376, v377, v378, v379, v37a, v37b, v37c, v37d, v37e, v37f, v380, v381, v382, v383;
        long v384, v385, v386, v387, v388, v389, v38a, v38b, v38c, v38d, v38e, v38f, v390, v391, v392, v393, v394, v395;
        long v396, v397, v398, v399, v39a, v39b, v39c, v39d, v39e, v39f, v3a0, v3a1, v3a2, v3a3, v3a4, v3a5, v3a6, v3a7;
        long v3a8, v3a9, v3aa, v3ab, v3ac, v3ad, v3ae, v3af, v3b0, v3b1, v3b2, v3b3, v3b4, v3b5, v3b6, v3b7, v3b8, v3b9;
        long v3ba, v3bb, v3bc, v3bd, v3be, v3bf, v3c0, v3c1, v3c2, v3c3, v3c4, v3c5, v3c6, v3c7, v3c8, v3c9, v3ca, v3cb;
        long v3cc, v3cd, v3ce, v3cf, v3d0, v3d1, v3d2, v3d3, v3d4, v3d5, v3d6, v3d7, v3d8, v3d9, v3da, v3db, v3dc, v3dd;
        long v3de, v3df, v3e0, v3e1, v3e2, v3e3, v3e4, v3e5, v3e6, v3e7, v3e8, v3e9, v3ea, v3eb, v3ec, v3ed, v3ee, v3ef;
        long v3f0, v3f1, v3f2, v3f3, v3f4, v3f5, v3f6, v3f7, v3f8, v3f9, v3fa, v3fb, v3fc, v3fd, v3fe, v3ff;
        if (nothing != 0) {
            throw new IllegalStateException();
        }
    }
}
