/** Loaded before the program: its clock stands at the moment of the story at which it looks. */
import { mock } from 'node:test';

mock.timers.enable({ apis: ['Date'], now: Number(process.env['ROLLCALL_STORY_MS']) });
