/** Loaded first into each process of tests, which load hundreds of modules each. */
import { findOwnModules } from '../../src/adapters/system/own-modules.ts';

findOwnModules();
