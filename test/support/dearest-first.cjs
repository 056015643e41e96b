/** The order of files: the dearest as test/sets.mjs lists them, then the others as jest knows them from earlier runs. */
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { FULL } = require('../sets.mjs');

module.exports = class DearestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path, context }) => {
      const place = FULL.indexOf(relative(context.config.rootDir, path));
      return place === -1 ? FULL.length : place;
    };
    return super.sort(tests).sort((left, right) => rank(left) - rank(right));
  }
};
