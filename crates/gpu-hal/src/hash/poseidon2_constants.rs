//! Numbers of Poseidon2 over Goldilocks, width 8, S-box `x^7`, 8 external and 22 internal rounds.
//!
//! The round constants come from the Grain LFSR of the Poseidon papers, for (prime field, x^7, 64 bits, t = 8, R_F = 8,
//! R_P = 22); the diagonal of the internal matrix is small so that a product by it is a few additions. Both are
//! p3-goldilocks 0.8.0's (Plonky3) published default, and a test compares with that crate.

/// External rounds before the internal ones, and as many after.
pub const HALF_EXTERNAL_ROUNDS: usize = 4;
/// Internal rounds.
pub const INTERNAL_ROUNDS: usize = 22;

/// Added before the S-box of the external rounds that come first.
pub const EXTERNAL_INITIAL: [[u64; 8]; HALF_EXTERNAL_ROUNDS] = [
    [
        0xDD57_43E7_F2A5_A5D9,
        0xCB3A_864E_58AD_A44B,
        0xFFA2_449E_D32F_8CDC,
        0x4202_5F65_D6BD_13EE,
        0x7889_175E_2550_6323,
        0x34B9_8BB0_3D24_B737,
        0xBDCC_535E_CC4F_AA2A,
        0x5B20_AD86_9FC0_D033,
    ],
    [
        0xF1DD_A5B9_259D_FCB4,
        0x2751_5210_BE11_2D59,
        0x4227_D171_8C76_6C3F,
        0x26D3_3316_1A5B_D794,
        0x49B9_3895_7BF4_B026,
        0x4A56_B593_8B21_3669,
        0x1120_426B_48C8_353D,
        0x6B32_3C3F_10A5_6CAD,
    ],
    [
        0xCE57_D624_5DDC_A6B2,
        0xB1FC_8D40_2BBA_1EB1,
        0xB5C5_096C_A959_BD04,
        0x6DB5_5CD3_06D3_1F7F,
        0xC49D_293A_81CB_9641,
        0x1CE5_5A4F_E979_719F,
        0xA92E_60A9_D178_A4D1,
        0x002C_C649_73BC_FD8C,
    ],
    [
        0xCEA7_21CC_E82F_B11B,
        0xE5B5_5EB8_098E_CE81,
        0x4E30_525C_6F1D_DD66,
        0x43C6_7028_2707_0987,
        0xACA6_8430_A7B5_762A,
        0x3674_2386_34DF_9C93,
        0x88CE_E1C8_25E3_3433,
        0xDE99_AE8D_74B5_7176,
    ],
];

/// Added before the S-box of the external rounds that come last.
pub const EXTERNAL_FINAL: [[u64; 8]; HALF_EXTERNAL_ROUNDS] = [
    [
        0x014E_F119_7D34_1346,
        0x9725_E208_25D0_7394,
        0xFDB2_5AEF_2C5B_AE3B,
        0xBE54_02DC_598C_971E,
        0x93A5_711F_04CD_CA3D,
        0xC45A_9A5B_2F8F_B97B,
        0xFE89_46A9_2493_3545,
        0x2AF9_97A2_7369_091C,
    ],
    [
        0xAA62_C88E_0B29_4011,
        0x058E_B9D8_10CE_9F74,
        0xB3CB_23EC_ED34_9AE4,
        0xA364_8177_A77B_4A84,
        0x4315_3D90_5992_D95D,
        0xF4E2_A97C_DA44_AA4B,
        0x5BAA_2702_B908_682F,
        0x0829_23BD_F4F7_50D1,
    ],
    [
        0x98AE_09A3_2589_3803,
        0xF8A6_4750_7796_8838,
        0xCEB0_735B_F00B_2C5F,
        0x0A1A_5D95_3888_E072,
        0x2FCB_1904_89F9_4475,
        0xB5BE_0627_0DEC_69FC,
        0x739C_B934_B09A_CF8B,
        0x5377_50B7_5EC7_F25B,
    ],
    [
        0xE9DD_318B_AE1F_3961,
        0xF746_2137_299E_FE1A,
        0xB1F6_B8EE_E9AD_B940,
        0xBDEB_CC8A_809D_FE6B,
        0x40FC_1F79_1B17_8113,
        0x3AC1_C336_2D01_4864,
        0x9A01_6184_BDB8_AEBA,
        0x95F2_3944_59FB_C25E,
    ],
];

/// Added to element 0 before the S-box of each internal round.
pub const INTERNAL: [u64; INTERNAL_ROUNDS] = [
    0x4888_97D8_5FF5_1F56,
    0x1140_737C_CB16_2218,
    0xA7EE_B921_5866_ED35,
    0x9BD2_976F_EE49_FCC9,
    0xC0C8_F0DE_580A_3FCC,
    0x4FB2_DAE6_EE8F_C793,
    0x343A_89F3_5F37_395B,
    0x223B_525A_77CA_72C8,
    0x56CC_B625_74AA_A918,
    0xC4D5_07D8_027A_F9ED,
    0xA080_673C_F0B7_E95C,
    0xF018_4884_EB70_DCF8,
    0x044F_10B0_CB3D_5C69,
    0xE9E3_F799_3938_F186,
    0x1B76_1C80_E772_F459,
    0x606C_EC60_7A1B_5FAC,
    0x14A0_C2E1_D45F_03CD,
    0x4EAC_E885_5398_574F,
    0xF905_CA71_03EF_F3E6,
    0xF8C8_F8D2_0862_C059,
    0xB524_FE8B_DD67_8E5A,
    0xFBB7_8659_01A1_EC41,
];
