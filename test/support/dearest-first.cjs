/**
 * The order of files: the dearest as test/sets.mjs lists them, then the others as jest knows them from earlier runs. Parts
 * (`--shard=1/8`) have as many of the dear ones each.
 */
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { FULL } = require('../sets.mjs');

function rankOf({ path, context }) {
  const place = FULL.indexOf(relative(context.config.rootDir, path));
  return place === -1 ? FULL.length : place;
}

function byRank(left, right) {
  return rankOf(left) - rankOf(right) || (left.path < right.path ? -1 : 1);
}

module.exports = class DearestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((left, right) => rankOf(left) - rankOf(right));
  }

  shard(tests, { shardIndex, shardCount }) {
    return [...tests].sort(byRank).filter((_, index) => index % shardCount === shardIndex - 1);
  }
};
