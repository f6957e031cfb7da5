//go:build !purego

#include "textflag.h"

// Z31 is the mask that clears a sign, Z30 the stand-in for a reference of zero, Z29 ones.
#define SIGNS \
	VPTERNLOGD $0xff, Z31, Z31, Z31 \
	VPSRLD $31, Z31, Z29            \
	VPSRLD $1, Z31, Z31

// ERRORS leaves the absolute errors of sixteen pairs in Z0 and the relative ones in Z2, and asks
// for the strip behind.
#define ERRORS \
	VMOVUPS (DI)(CX*4), Z0      \
	VMOVUPS (SI)(CX*4), Z1      \
	PREFETCHT0 4096(DI)(CX*4)   \
	PREFETCHT0 4096(SI)(CX*4)   \
	VSUBPS Z1, Z0, Z0           \
	VPTESTNMD Z31, Z1, K1       \
	VPANDD Z31, Z1, Z1          \
	VPANDD Z31, Z0, Z0          \
	VMOVAPS Z30, K1, Z1         \
	VDIVPS Z1, Z0, Z2

// GREATEST leaves the greatest of sixteen keys in the lowest of X, whose register is Y and Z.
#define GREATEST(Z, Y, X) \
	VEXTRACTI64X4 $1, Z, Y0  \
	VPMAXUD Y0, Y, Y         \
	VEXTRACTI128 $1, Y, X0   \
	VPMAXUD X0, X, X         \
	VPSHUFD $0x4e, X, X0     \
	VPMAXUD X0, X, X         \
	VPSHUFD $0xb1, X, X0     \
	VPMAXUD X0, X, X

// func factsAVX512(f *stripFacts, a, b *float32, n int, zero float32)
TEXT ·factsAVX512(SB), NOSPLIT, $0-36
	MOVQ f+0(FP), R8
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ n+24(FP), DX
	VBROADCASTSS zero+32(FP), Z30
	SIGNS
	MOVQ (R8), R9   // abs
	MOVQ 8(R8), R10 // rel
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	XORQ CX, CX

facts:
	ERRORS
	VMOVUPS Z0, (R9)(CX*4)
	VMOVUPS Z2, (R10)(CX*4)
	VCVTPS2PD (DI)(CX*4), Z16
	VCVTPS2PD 32(DI)(CX*4), Z17
	VCVTPS2PD (SI)(CX*4), Z18
	VCVTPS2PD 32(SI)(CX*4), Z19
	VADDPD Z16, Z6, Z6
	VADDPD Z17, Z7, Z7
	VADDPD Z18, Z8, Z8
	VADDPD Z19, Z9, Z9
	VPMAXUD Z0, Z10, Z10
	VPANDD Z31, Z2, Z2 // what is no number may have a sign
	VPMAXUD Z2, Z11, Z11
	VCVTPS2PD (R9)(CX*4), Z20
	VCVTPS2PD 32(R9)(CX*4), Z21
	VCVTPS2PD (R10)(CX*4), Z22
	VCVTPS2PD 32(R10)(CX*4), Z23
	VADDPD Z20, Z4, Z4
	VADDPD Z22, Z5, Z5
	VADDPD Z21, Z4, Z4
	VADDPD Z23, Z5, Z5
	ADDQ $16, CX
	CMPQ CX, DX
	JLT facts

	VMOVUPD Z4, 24(R8)
	VMOVUPD Z5, 88(R8)
	VMOVUPD Z6, 152(R8)
	VMOVUPD Z7, 216(R8)
	VMOVUPD Z8, 280(R8)
	VMOVUPD Z9, 344(R8)
	GREATEST(Z10, Y10, X10)
	VMOVSS X10, 16(R8)
	GREATEST(Z11, Y11, X11)
	VMOVSS X11, 20(R8)
	VZEROUPPER
	RET

// BIN adds to the sixteen packed counters of ACC the bins of the keys in KEY. A product gives a bin
// or the one below; NEXT has the least key of the next.
#define BIN(KEY, SCALE, NEXT, ACC) \
	VMULPS SCALE, KEY, Z1       \
	VCVTTPS2DQ Z1, Z1           \
	VPMINUD Z28, Z1, Z1         \
	VPERMD NEXT, Z1, Z3         \
	VPCMPUD $5, Z3, KEY, K1     \
	VPADDD Z29, Z1, K1, Z1      \
	VPERMD Z20, Z1, Z1          \
	VPADDD Z1, ACC, ACC

// BRACKET counts the keys from the bracket at AT(R8) on in COUNT, and leaves in K those within.
#define BRACKET(KEY, AT, COUNT, K) \
	VPSUBD.BCST AT(R8), KEY, Z1          \
	VPCMPUD.BCST $5, AT(R8), KEY, K5     \
	VPCMPUD.BCST $1, (AT+16)(R8), Z1, K  \
	VPADDD Z29, COUNT, K5, COUNT

// SIEVE does so for four brackets, and copies what lies within one to where TO points.
#define SIEVE(KEY, AT, A, B, C, D, TO) \
	BRACKET(KEY, AT, A, K1)        \
	BRACKET(KEY, (AT+4), B, K2)    \
	BRACKET(KEY, (AT+8), C, K3)    \
	BRACKET(KEY, (AT+12), D, K4)   \
	KORW K1, K2, K1                \
	KORW K3, K4, K2                \
	KORW K1, K2, K2                \
	VPCOMPRESSD.Z KEY, K2, Z1      \
	KMOVW K2, AX                   \
	VMOVDQU32 Z1, (TO)             \
	POPCNTL AX, AX                 \
	LEAQ (TO)(AX*4), TO

// UNPACK moves the counters of three bits in ACC to those of twelve in A to D, which are the bins
// 0, 4 and 8, then 1, 5 and 9, then 2 and 6, then 3 and 7.
#define UNPACK(ACC, A, B, C, D) \
	VPANDD Z21, ACC, Z1     \
	VPADDD Z1, A, A         \
	VPSRLD $3, ACC, Z1      \
	VPANDD Z21, Z1, Z1      \
	VPADDD Z1, B, B         \
	VPSRLD $6, ACC, Z1      \
	VPANDD Z21, Z1, Z1      \
	VPADDD Z1, C, C         \
	VPSRLD $9, ACC, Z1      \
	VPANDD Z21, Z1, Z1      \
	VPADDD Z1, D, D         \
	VPXORD ACC, ACC, ACC

// ADD adds the sixteen counters of Z to those at AT(R8).
#define ADD(Z, AT) \
	VPADDD AT(R8), Z, Z    \
	VMOVDQU32 Z, AT(R8)

// COUNTERS adds the packed counters of Z, twelve bits each, to those of three bins, COUNTERS2 to
// those of two.
#define COUNTERS2(Z, FIRST, SECOND) \
	VPSRLD $12, Z, Z1       \
	VPANDD Z21, Z, Z        \
	ADD(Z, FIRST)           \
	VPANDD Z21, Z1, Z2      \
	ADD(Z2, SECOND)

#define COUNTERS(Z, FIRST, SECOND, THIRD) \
	COUNTERS2(Z, FIRST, SECOND) \
	VPSRLD $12, Z1, Z1          \
	ADD(Z1, THIRD)

// func surveyAVX512(s *stripSurvey, a, b *float32, n int, zero float32, abs, rel *uint32) (
//     keptAbs, keptRel int)
TEXT ·surveyAVX512(SB), NOSPLIT, $0-72
	MOVQ s+0(FP), R8
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ n+24(FP), DX
	VBROADCASTSS zero+32(FP), Z30
	MOVQ abs+40(FP), R9
	MOVQ rel+48(FP), R10
	SIGNS
	VMOVDQU32 (R8), Z20     // a counter's one, by bin
	VPBROADCASTD 64(R8), Z21 // the counters of three bits that are unpacked together
	VPBROADCASTD 68(R8), Z28 // the last bin
	VBROADCASTSS 72(R8), Z18
	VBROADCASTSS 76(R8), Z19
	VMOVDQU32 80(R8), Z16
	VMOVDQU32 144(R8), Z17
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	VPXORD Z22, Z22, Z22
	VPXORD Z23, Z23, Z23
	VPXORD Z24, Z24, Z24
	VPXORD Z25, Z25, Z25
	VPXORD Z26, Z26, Z26
	VPXORD Z27, Z27, Z27
	MOVQ 2064(R8), R12
	MOVQ 2072(R8), R13
	XORQ CX, CX

seven:
	LEAQ 112(CX), BX // what three bits can count
	CMPQ BX, DX
	CMOVQGT DX, BX

elements:
	ERRORS
	VPANDD Z31, Z2, Z2 // what is no number may have a sign
	VMOVDQU32 Z0, (R12)(CX*4)
	VMOVDQU32 Z2, (R13)(CX*4)
	BIN(Z0, Z18, Z16, Z22)
	BIN(Z2, Z19, Z17, Z23)
	SIEVE(Z0, 208, Z8, Z9, Z10, Z11, R9)
	SIEVE(Z2, 240, Z12, Z13, Z14, Z15, R10)
	ADDQ $16, CX
	CMPQ CX, BX
	JLT elements

	UNPACK(Z22, Z24, Z25, Z26, Z27)
	UNPACK(Z23, Z4, Z5, Z6, Z7)
	CMPQ CX, DX
	JLT seven

	VPSRLD $19, Z31, Z21 // twelve bits
	COUNTERS(Z24, 272, 528, 784)
	COUNTERS(Z25, 336, 592, 848)
	COUNTERS2(Z26, 400, 656)
	COUNTERS2(Z27, 464, 720)
	COUNTERS(Z4, 912, 1168, 1424)
	COUNTERS(Z5, 976, 1232, 1488)
	COUNTERS2(Z6, 1040, 1296)
	COUNTERS2(Z7, 1104, 1360)
	ADD(Z8, 1552)
	ADD(Z9, 1616)
	ADD(Z10, 1680)
	ADD(Z11, 1744)
	ADD(Z12, 1808)
	ADD(Z13, 1872)
	ADD(Z14, 1936)
	ADD(Z15, 2000)
	VZEROUPPER
	SUBQ abs+40(FP), R9
	SUBQ rel+48(FP), R10
	SHRQ $2, R9
	SHRQ $2, R10
	MOVQ R9, keptAbs+56(FP)
	MOVQ R10, keptRel+64(FP)
	RET
